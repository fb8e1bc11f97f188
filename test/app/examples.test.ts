// The examples as they stand, run as a user runs them, on a session that asks.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { checkInvariants } from '../support/invariants.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** In a checkout the package's name leads to its source; installed, to what was compiled of it. */
function example({ environment, folder }: E2eStage, name: string, ...args: string[]): Promise<Ended> {
  const script = join(packageRoot(), 'examples', name)
  const child = spawn(process.execPath, ['--conditions=fixwright-checkout', script, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })))
}

test('the three examples start a session, answer what it asks, and watch it to its end', async (t) => {
  const stage = await setMadeStage(t, 1, {
    scenario: {
      clarify: [
        { questions: [{ issue_code: 'T-001', question: 'How strict should it be?' }] },
        { questions: [{ question: 'May the interface change?' }] },
      ],
    },
  })
  const findings = join(stage.folder, 'findings.json')
  writeFileSync(findings, JSON.stringify(stage.made.findings))

  const started = await example(stage, 'start-and-wait.ts', findings, stage.repository)
  assert.equal(started.status, 0, started.stderr)
  const [, id = ''] = /^(fx-\w+) waits for an answer to 1 question.*: fixwright answer \1\n$/.exec(started.stdout) ?? []
  assert.notEqual(id, '', started.stdout)

  const watching = example(stage, 'watch-events.ts', id)
  const answered = await example(stage, 'answer-from-a-script.ts', id)
  assert.equal(answered.status, 0, answered.stderr)
  assert.equal(answered.stdout, 'taken: T-001-q1\ntaken: general-q1\ncompleted: 1 of 1 fixed\n')
  const received = (await stage.events(id)).find(({ type }) => type === 'fix_clarification_received')
  assert.match(
    received?.message ?? '',
    /T-001-q1, the answering rule \(claimed\) \(script on \S+ \(claimed\)\): Whatever is the smallest/,
  )

  const watched = await watching
  assert.equal(watched.status, 0, watched.stderr)
  assert.match(watched.stdout, /^1 {2}fix_session_started[\s\S]*fix_session_completed[\s\S]*"sha": "[0-9a-f]{40}"/)
  const again = await example(stage, 'start-and-wait.ts', findings, stage.repository)
  assert.equal(again.stdout, 'nothing left to do: 1 fixed\n')
  await checkInvariants(stage)
})
