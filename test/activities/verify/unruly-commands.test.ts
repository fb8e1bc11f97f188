// Commands that do what they should not: each is a result, none keeps a session waiting, and what is written down stays of a size.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { VerificationRun } from '../../../src/domain/verification/gate-record.ts'
import { findMarkedProcesses } from '../../../src/platform/processes/marked-processes.ts'
import { type Bench, setBench, verifiedBy } from '../support.ts'

/** No other test's: what carries its name in its marker is ended when that is closed. */
const SESSION = `s-${randomUUID()}`

async function setRun(
  t: TestContext,
  commands: readonly string[],
  more: Partial<Settings['verification']> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const bench = await setBench(t, environment)
  await bench.session(SESSION, { A: 'src/app.py' }, verifiedBy(commands, { fail_fast: false, ...more }))
  const { base } = await bench.run('openSession', { sessionId: SESSION })
  await bench.run('verifyBaseline', { sessionId: SESSION, stepId: 'base', head: base })
  const [kept] = await bench.store.artifacts.listForSession(SESSION, { kind: 'verdict', name: 'base' })
  const record = JSON.parse(await bench.shop.artifacts.getText(kept?.ref ?? ''))
  assert.deepEqual(findMarkedProcesses(SESSION), [], 'nothing of it still runs')
  return { bench, base, runs: record.verification as VerificationRun[] }
}

async function whole({ store, shop }: Bench, name: string): Promise<Buffer> {
  const [kept] = await store.artifacts.listForSession(SESSION, { kind: 'verification', name })
  return await buffer(await shop.artifacts.get(kept?.ref ?? ''))
}

function outcomes(runs: readonly VerificationRun[]): string[] {
  return runs.map(({ outcome }) => outcome)
}

test('what is missing, crashes, reads its input or leaves children behind ends, and so do the children [S4-15]', async (t) => {
  const hiding = 'setsid sh -c "sleep 300" & (sleep 300 &) ; nohup sleep 300 > /dev/null 2>&1 & echo left'
  const { runs } = await setRun(t, [
    'no-such-command',
    'kill -SEGV $$',
    'cat; read x || echo nothing to read',
    hiding,
    'exit 3',
  ])
  const [missing, crashed, reading, leaving, plain] = outcomes(runs)
  assert.deepEqual(
    [missing, reading, leaving, plain],
    ['failed: exit status 127', 'passed', 'passed', 'failed: exit status 3'],
  )
  assert.match(crashed ?? '', /^failed: (ended by SIGSEGV|exit status 139)$/)
  assert.equal(runs[2]?.output, 'nothing to read')
})

test('a command, and a setup, gets of the operator’s environment what checks need, and no credential, nothing of ours [S4-1, S4-17]', async (t) => {
  const needed = { HOME: '/home/kim', LANG: 'C.UTF-8', https_proxy: 'http://proxy:3128' }
  const other = {
    ...{ ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'b', GITHUB_TOKEN: 'c', AWS_PROFILE: 'd', SSH_AUTH_SOCK: '/e' },
    ...{ FIXWRIGHT_HOME: '/f', FIXWRIGHT_TEMPORAL_ADDRESS: 'g:1', TEMPORAL_ADDRESS: 'h:1' },
    ...{ GIT_DIR: '/i', NODE_OPTIONS: '--no-warnings', LD_LIBRARY_PATH: '/j' },
  }
  const names = "env | cut -d= -f1 | grep -vxE 'PWD|OLDPWD|SHLVL|_' | sort | paste -sd,"
  const { bench, runs } = await setRun(t, [names], { setup: [names] }, { ...needed, ...other })
  const kept = ['CI', 'FIXWRIGHT_CALL', 'HOME', 'LANG', 'PATH', 'https_proxy'].sort().join()
  assert.deepEqual([runs[0]?.output, String(await whole(bench, 'base.setup1.stdout')).trim()], [kept, kept])
})

test('what hangs is ended at its time, also where it does not want to, and keeps what it had said [S4-15]', async (t) => {
  const stubborn = 'trap "" TERM INT HUP; echo begun; sleep 300 & while true; do sleep 300; done'
  const { runs } = await setRun(t, [stubborn, 'true'], { timeout_seconds: 1 })
  assert.deepEqual(outcomes(runs), ['failed: it ran out of time', 'passed'])
  assert.equal(runs[0]?.output, 'begun')
})

test('what a command leaves for git to open, or to read for minutes, holds up neither the next command nor the next tree', async (t) => {
  const { bench, base, runs } = await setRun(t, [
    'mkfifo src/.gitattributes new.pipe; mkdir new && mkfifo new/.gitignore',
    'truncate -s 4G .gitignore; rm README.md && mkfifo README.md',
    'test -f README.md && true',
  ])
  assert.deepEqual(outcomes(runs), ['passed', 'passed', 'passed'])
  const tree = { sessionId: SESSION, head: base, selections: [], codes: [], iteration: 1 }
  assert.equal((await bench.run('verifyTree', { ...tree, stepId: 's1.i1.verify' })).verdict, 'passed')
})

test('bytes that are no text, or half a character, are read as well as can be [S4-15]', async (t) => {
  const { bench, runs } = await setRun(t, ["printf 'a\\377b\\nc\\303'; printf '\\303\\251\\342\\202' >&2"])
  assert.deepEqual([runs[0]?.output, runs[0]?.errors], ['a\ufffdb\nc\ufffd', 'é\ufffd'])
  assert.deepEqual(await whole(bench, 'base.1.stdout'), Buffer.from('61ff620a63c3', 'hex'))
})

test('a command that removes the work tree, or all that is in it, has failed; the next one has a tree, set up again, but once only [S4-15]', async (t) => {
  const count = join(tmpdir(), `setups-${SESSION}`)
  t.after(() => rmSync(count, { force: true }))
  const setups = () => readFileSync(count, 'utf8').length
  const needs = 'test -f README.md && test -f node_modules/x'
  // Of all of them the sixth fails.
  const counted = `printf x >> ${count}; test "$(wc -c < ${count})" -ne 6`
  const setup = [`${counted} && mkdir node_modules && touch node_modules/x`]
  const { bench, base, runs } = await setRun(t, ['rm -rf "$PWD"', needs, 'rm -rf ..?* .[!.]* *', `${needs} && true`], {
    setup,
  })
  const gone = 'failed: it removed the work tree'
  const notRun = 'failed: not run, as commands before it removed the work tree twice'
  assert.deepEqual(outcomes(runs), [gone, 'passed', gone, notRun])
  assert.equal(setups(), 2)
  const fresh = {
    sessionId: SESSION,
    head: base,
    selections: [],
    codes: [],
    iteration: 1,
    inFreshCheckout: true as const,
  }
  const { verdict } = await bench.run('verifyTree', { ...fresh, stepId: 's1.fresh1' })
  assert.equal(verdict, 'passed', 'as on the base, in a fresh checkout')
  assert.equal(setups(), 4)
  const late = await bench.run('verifyTree', { ...fresh, stepId: 's2.fresh1' })
  assert.equal(late.verdict, 'failed', 'a setup that is run again in one is not tried twice')
})

test('one that removes or replaces what is written down of its output has failed, and nothing else gets into the record [S4-15]', async (t) => {
  const calls = '"$(dirname "$(dirname "$PWD")")"/calls'
  const { bench, runs } = await setRun(t, [
    `echo words; rm -rf ${calls}`,
    `echo words; rm -f ${calls}/base.2/stdout; ln -s /etc/passwd ${calls}/base.2/stdout`,
    `rm -f ${calls}/base.3/stderr; mkfifo ${calls}/base.3/stderr`,
    'echo fine',
  ])
  const removed = 'failed: it removed what was written down of its output'
  assert.deepEqual(outcomes(runs), [removed, removed, removed, 'passed'])
  assert.equal(runs[0]?.output, 'words')
  assert.match(String(await whole(bench, 'base.2.stdout')), /^the command removed this file/)
})

const MEGABYTE = 2 ** 20

test('a flood, in lines or in one line without an end, costs neither disk nor memory, and the record says what is left out [S4-15]', async (t) => {
  let peak = 0
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  const before = process.memoryUsage().rss
  const lines = 'echo first; yes "line by line by line, as a suite does it" | head -c 120000000; echo; echo last'
  const one = 'head -c 120000000 /dev/zero | tr "\\0" x; printf "\\303\\251"'
  const { bench, runs } = await setRun(t, [lines, one], { timeout_seconds: 120 })
  clearInterval(sampling)
  assert.deepEqual(outcomes(runs), ['passed', 'passed'])
  assert.ok(peak - before < 250 * MEGABYTE, `it took ${Math.round((peak - before) / MEGABYTE)} MB`)
  for (const [index, run] of runs.entries()) {
    const kept = await whole(bench, `base.${index + 1}.stdout`)
    assert.ok(kept.length > 32 * MEGABYTE && kept.length < 34 * MEGABYTE, String(kept.length))
    const seam = kept.subarray(32 * MEGABYTE, 32 * MEGABYTE + 60).toString()
    assert.match(seam, new RegExp(`^\\n… ${run.omittedBytes} bytes left out …\\n`))
    assert.ok((run.output ?? '').length < 100_000)
    assert.ok((run.omittedBytes ?? 0) > 80_000_000)
  }
  const told = (await bench.store.events.listAfter(SESSION)).find((event) => event.type === 'fix_verification_result')
  const inEvent = told?.data.runs ?? []
  assert.deepEqual(
    inEvent.map(({ cut }) => cut),
    runs.map(({ omittedBytes }) => omittedBytes),
  )
  assert.match(runs[0]?.output ?? '', /^first\n[\s\S]*\nlast$/)
  assert.ok(String((await whole(bench, 'base.2.stdout')).subarray(-3)).endsWith('xé'))
})

test('what prints without end is ended long before its time, and has failed, on either stream [S4-15]', async (t) => {
  const endless = 'yes "$(printf %1000s again)"'
  const flood = `${endless} | head -c 500000000`
  const { runs } = await setRun(t, [endless, `${endless} >&2`, flood, 'true'], { timeout_seconds: 100 })
  const flooded = 'failed: it printed 500 MB or more'
  assert.deepEqual(outcomes(runs), [flooded, flooded, flooded, 'passed'])
  assert.match(runs[0]?.output ?? '', /^ +again\n/)
})
