// What `doctor` and `fix` say of the sandbox, also where bubblewrap is there and refused, as in a container.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { cliPaths } from '../../rehearsal/environment.ts'
import { NO_SANDBOX } from '../platform/sandbox/support.ts'
import { repositoryOf } from '../support/session.ts'
import { type Desk, setDesk } from './support.ts'

function refusing(desk: Desk): Record<string, string> {
  const bin = join(desk.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n', {
    mode: 0o755,
  })
  return { PATH: `${bin}:${cliPaths().bin}:${desk.environment.PATH}`, ANTHROPIC_API_KEY: 'one', GEMINI_API_KEY: 'two' }
}

async function found(desk: Desk, env: Record<string, string>, ...args: string[]) {
  const { status, stdout } = await desk.runWith(env, 'doctor', '--json', ...args)
  const check = JSON.parse(stdout).checks.find(({ what }: { what: string }) => what === 'sandbox')
  return { status, ...check }
}

describe('without a sandbox that works', { concurrency: 2 }, () => {
  test('doctor says why, and that it is missing only where it is required', async (t) => {
    const desk = await setDesk(t)
    const env = refusing(desk)
    const auto = await found(desk, env)
    assert.deepEqual([auto.status, auto.state], [0, 'note'])
    assert.match(auto.found, /^auto: agents run in no sandbox \(bubblewrap is refused here: .*No permissions/)
    const required = await found(desk, env, '--set', 'sandbox.mode=require')
    assert.deepEqual([required.status, required.state], [3, 'missing'])
    assert.match(required.advice, /set sandbox\.mode to auto/)
  })

  test('fix refuses with 2 where it is required, and nothing is created', async (t) => {
    const desk = await setDesk(t)
    const repo = join(desk.folder, 'repo')
    repositoryOf({ 'a.py': 'x = 1\n' })(repo)
    const findings = join(desk.folder, 'findings.json')
    writeFileSync(findings, JSON.stringify([{ issue_code: 'A-1', title: 'x is wrong', file: 'a.py' }]))
    const args = ['fix', findings, '--repo', repo, '--set', 'sandbox.mode=require']
    const { status, stderr } = await desk.runWith(refusing(desk), ...args)
    assert.equal(status, 2)
    assert.match(stderr, /nothing was changed: sandbox\.mode is require.*No permissions.*set sandbox\.mode to auto/)
    assert.deepEqual([await desk.store.sessions.list(), await desk.store.issues.list()], [[], []])
  })
})

test('doctor says which sandbox agents get', { skip: NO_SANDBOX }, async (t) => {
  const desk = await setDesk(t)
  const [auto, required, off] = await Promise.all(
    ['auto', 'require', 'off'].map((mode) => found(desk, {}, '--set', `sandbox.mode=${mode}`)),
  )
  assert.deepEqual([auto.state, required.state, off.state], ['ok', 'ok', 'note'])
  assert.match(auto.found, /^auto: agents run in a file sandbox; the network is open/)
  assert.match(required.found, /^require: agents run in a file sandbox without network but for what it needs/)
  assert.match(off.advice, /bubblewrap works here/)
  const local = { ANTHROPIC_BASE_URL: 'http://localhost' }
  const cut = await found(desk, local, '--set', 'sandbox.mode=require')
  assert.deepEqual([cut.status, cut.state], [3, 'missing'])
  assert.match(cut.found, /localhost:80 can't be reached from inside.*serve it on a higher port/)
})
