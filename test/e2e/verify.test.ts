// The profile `verify`: no challenger, the project's own commands decide, and they have to be green. The cycles that seed 004 names, each
// with a real test suite that really fails and is really fixed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import { readDataBlocks } from '../../rehearsal/prompt.ts'
import type { Made } from '../../rehearsal/twelve.ts'
import type { SessionEvent } from '../../src/domain/session/events/index.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, bash, rightEdit, rightWith, type Step } from '../support/scripting.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

/** Red before anybody fixed anything. Says one thing on standard output, and what is wrong on standard error. */
const SUITE = `import unittest
from ledger.part_000 import last_page_000
from ledger.part_001 import is_adult_001


class Ledger(unittest.TestCase):
    def test_last_page(self):
        print("pages of five:", last_page_000(5, 2))
        self.assertEqual(last_page_000(5, 2), 3)

    def test_is_adult(self):
        self.assertTrue(is_adult_001(18, 18))
`
const GREEN = 'echo nothing to complain about'
const TESTS = 'python3 -B -m unittest test_ledger'
const VERIFY = ['--profile', 'verify', '--verify', GREEN, '--verify', TESTS]
/** Nobody asks for it. */
const NO_GEMINI = ['--set', 'gemini.command=no-such-gemini']
const FILES = { 'test_ledger.py': SUITE, 'CLAUDE.md': 'Four spaces.\n' }

/** The wrong code in one more pair of brackets than the attempt before left: other work each time, and as wrong as ever. */
function bracketed(made: Made, code: string, attempt: number): Step {
  const { old, ...edit } = rightEdit(made, code)
  const inBrackets = (times: number) =>
    old.replace(/^(.*\S)(\s+# )/, (_, wrong, mark) => `${'('.repeat(times)}${wrong}${')'.repeat(times)}${mark}`)
  return { ...edit, old: inBrackets(attempt - 1), new: inBrackets(attempt) }
}

/** T-001 is done wrong so often, then right, from whatever it has become. */
function wrongAtFirst(made: Made, times: number): void {
  const wrong = Array.from({ length: times }, (_, index) => bracketed(made, 'T-001', index + 1))
  const right = { ...rightEdit(made, 'T-001'), old: (wrong.at(-1) as { new: string }).new }
  attempts(made, 'T-001', ...wrong.map((step) => [step]), [right])
}

function prompts(stage: E2eStage, ...roles: readonly string[]): Map<string, string>[] {
  const first = stage.model.calls().filter(({ role, step }) => roles.includes(role) && step === 0)
  return first.map((call) => new Map(readDataBlocks(promptOf(call) ?? '')))
}

function verdicts(events: readonly SessionEvent[]): unknown[] {
  const results = events.filter((event) => event.type === 'fix_verification_result')
  return results.map(({ data }) => [data.iteration, `${data.verdict}${data.fresh ? ' afresh' : ''}`])
}

test('a failing test suite is fixed in one cycle, by a fixer that was told everything [S4-1, S4-2, S4-3, S4-7, S4-9, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, { files: FILES })
  const { result } = await stage.fix(stage.made.findings, { args: [...VERIFY, '--base', 'main', ...NO_GEMINI] })
  assert.deepEqual(
    result?.results.map(({ status, iterations }) => [status, iterations]),
    [
      ['completed', 1],
      ['completed', 1],
    ],
  )
  assert.equal(result?.skipped, undefined)
  assert.deepEqual(
    result?.commits.map(({ issue_codes }) => issue_codes),
    [['T-001'], ['T-002']],
  )
  for (const { message } of result?.commits ?? [])
    assert.match(message, /^Fixwright-Verified: .*; python3 -B -m unittest test_ledger$/m)
  assert.ok(
    stage.model.calls().every(({ provider }) => provider === 'anthropic'),
    'nobody challenges',
  )

  const [blocks, ...others] = prompts(stage, 'fixer', 're_fixer', 'fixer_single')
  assert.deepEqual(others, [], 'one call, and no sub-agent')
  const shown = JSON.parse(blocks?.get('issues') ?? '')
  for (const [index, finding] of stage.made.findings.issues.entries()) {
    const { estimated_effort: _, estimated_files_count: __, ...told } = finding
    assert.deepEqual({ ...shown[index], ...told }, shown[index])
  }
  assert.deepEqual(JSON.parse(blocks?.get('checks') ?? ''), [GREEN, TESTS])
  assert.match(blocks?.get('conventions') ?? '', /Four spaces/)
  assert.ok(!blocks?.has('todo'))
  const fixer = stage.model.calls().find(({ role }) => role === 'fixer')
  assert.match(
    (fixer && promptOf(fixer)) ?? '',
    /Run each of `checks` as it stands there[\s\S]*Never\s+- break what worked/,
  )

  const events = await stage.events(result?.session_id ?? '')
  // S4-4's moments, in their order, under our names (docs/events.md).
  const story = events.map(({ type }) => type).filter((type) => /session|batch|call|verification/.test(type))
  const cycle = ['fix_batch_started', 'fix_call_started', 'fix_call_completed', 'fix_batch_completed']
  const gate = ['fix_verification_started', 'fix_verification_result']
  assert.deepEqual(story, ['fix_session_started', ...gate, ...cycle, ...gate, 'fix_session_completed'])
  assert.deepEqual(verdicts(events), [
    [0, 'passed'],
    [1, 'passed afresh'],
  ])
  await checkInvariants(stage, 'verified-once')
})

test('with one cycle, a fix that leaves the suite red is the end of it, and nothing is committed [S4-9, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, { files: FILES, change: (made) => wrongAtFirst(made, 1) })
  const { result } = await stage.fix(stage.made.findings, { args: [...VERIFY, '--max-fix-cycles', '1'], status: 1 })
  assert.deepEqual(
    [result?.status, result?.commits, result?.results.map(({ iterations }) => iterations)],
    ['failed', [], [1, 1]],
  )
  for (const { error } of result?.results ?? []) assert.match(error ?? '', /^verification failed: python3 .* status 1/)
  assert.equal(prompts(stage, 'fixer', 're_fixer').length, 1)
  await checkInvariants(stage)
})

test('the second cycle is told what failed, with the end of both streams, and nothing of what passed [S4-3, S4-8, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, { files: FILES, change: (made) => wrongAtFirst(made, 1) })
  const { result } = await stage.fix(stage.made.findings, { args: VERIFY })
  assert.deepEqual(
    result?.results.map(({ status, iterations }) => [status, iterations]),
    [
      ['completed', 2],
      ['completed', 2],
    ],
  )
  const [again, ...more] = prompts(stage, 're_fixer')
  assert.deepEqual(more, [])
  const [failed, ...rest] = JSON.parse(again?.get('verification') ?? '')
  assert.deepEqual([failed.command, failed.outcome, rest], [TESTS, 'failed: exit status 1', []])
  assert.match(failed.output, /pages of five: 2$/)
  assert.match(failed.errors, /AssertionError: 2 != 3[\s\S]*FAILED \(failures=1\)$/)
  assert.deepEqual(JSON.parse(again?.get('checks') ?? ''), [GREEN, TESTS])
  assert.deepEqual(verdicts(await stage.events(result?.session_id ?? '')).slice(1), [
    [1, 'failed afresh'],
    [2, 'passed afresh'],
  ])
  await checkInvariants(stage, 'verify-again')
})

test('the fixer finds what was set up; what only an ignored file of the agent’s lets pass fails in the fresh checkout, and goes round again with that [S4-1, S4-8]', async (t) => {
  const needs =
    'test -f node_modules/dependency && { test -f node_modules/helper || ! grep -q NEEDS ledger/part_000.py; }'
  const helped = (made: Made) =>
    attempts(
      made,
      'T-001',
      [rightWith(made, 'T-001', 'NEEDS'), bash('test -f node_modules/dependency && touch node_modules/helper')],
      [without(made)],
    )
  const without = (made: Made): Step => {
    const { old, new: left, ...edit } = rightWith(made, 'T-001', 'NEEDS')
    return { ...edit, old: left, new: left.replace('NEEDS', 'NOTHING') }
  }
  const stage = await setMadeStage(t, 1, { change: helped })
  const setup = 'mkdir -p node_modules && touch node_modules/dependency'
  const args = ['--profile', 'verify', '--setup', setup, '--verify', needs]
  const { result } = await stage.fix(stage.made.findings, { args })
  assert.deepEqual(
    result?.results.map(({ status, iterations }) => [status, iterations]),
    [['completed', 2]],
  )
  const [again] = prompts(stage, 're_fixer')
  assert.match(again?.get('verification') ?? '', /NEEDS ledger/)
  assert.deepEqual(verdicts(await stage.events(result?.session_id ?? '')).slice(1), [
    [1, 'passed'],
    [1, 'failed afresh'],
    [2, 'passed'],
    [2, 'passed afresh'],
  ])
  await checkInvariants(stage, 'fresh-checkout')
})

for (const profile of ['batched', 'one-call']) {
  test(`a setup that fails on the untouched base ends the session before anybody is asked, in ${profile} not even the planner, and says what went wrong [S4-15]`, async (t) => {
    const stage = await setMadeStage(t, 1)
    const args = ['--profile', profile, '--setup', 'echo "no such package" >&2; exit 4', '--verify', 'true']
    const { result } = await stage.fix(stage.made.findings, { args, status: 3 })
    assert.deepEqual([result?.status, result?.ending?.class], ['failed', 'infrastructure'])
    assert.match(
      result?.ending?.reason ?? '',
      /^setup "echo .*failed: exit status 4 on the untouched base: no such package$/,
    )
    assert.deepEqual(stage.model.calls(), [])
    await checkInvariants(stage, profile === 'batched' ? 'setup-failed' : undefined)
  })
}

test('three cycles that fail are three, also when the suite says the same each time [S4-8, S4-9, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, { files: FILES, change: (made) => wrongAtFirst(made, 3) })
  const { result } = await stage.fix(stage.made.findings, { args: VERIFY, status: 1 })
  assert.deepEqual(
    [result?.status, result?.commits, result?.results.map(({ iterations }) => iterations)],
    ['failed', [], [3, 3]],
  )
  assert.deepEqual([prompts(stage, 'fixer').length, prompts(stage, 're_fixer').length], [1, 2])
  const [second, third] = prompts(stage, 're_fixer').map((blocks) => JSON.parse(blocks.get('verification') ?? ''))
  assert.match(second[0].errors, /AssertionError: 2 != 3/)
  const { command, outcome, output_id } = second[0]
  const [{ other_numbers = [], ...held }, ...more] = third
  assert.deepEqual(
    [held, more],
    [{ command, outcome, output_id, unchanged: true }, []],
    'the conversation holds that output',
  )
  for (const line of other_numbers) assert.match(line, /^Ran \d+ tests? in /, 'but for how long it took')
  const cycles = verdicts(await stage.events(result?.session_id ?? '')).slice(1, 4)
  assert.deepEqual(
    cycles,
    [1, 2, 3].map((iteration) => [iteration, 'failed afresh']),
  )
  await checkInvariants(stage, 'verify-never')
})

test('an agent that fails and one that changes nothing cost a cycle each, and the next one runs [S4-13, S4-15, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    files: FILES,
    change: (made) => {
      for (const code of ['T-001', 'T-002']) attempts(made, code, [], [], [rightEdit(made, code)])
    },
    scenario: {
      faults: [{ match: { role: 'fixer', iteration: 1 }, fault: { kind: 'http', preset: 'prompt-too-long' } }],
    },
  })
  const { result } = await stage.fix(stage.made.findings, { args: VERIFY })
  assert.deepEqual(
    result?.results.map(({ status, iterations }) => [status, iterations]),
    [
      ['completed', 3],
      ['completed', 3],
    ],
  )
  const events = await stage.events(result?.session_id ?? '')
  const [crashed = '', empty = '', right = ''] = events.flatMap(({ type, message }) =>
    type === 'fix_batch_completed' ? [message] : [],
  )
  assert.match(crashed, /no changes applied: .*too long/i)
  assert.match(empty, /no changes applied$/)
  assert.match(right, /changed ledger\/part_000\.py, ledger\/part_001\.py$/)
  assert.deepEqual(
    verdicts(events).slice(1),
    [[3, 'passed afresh']],
    'where nothing changed there is nothing to verify',
  )
  await checkInvariants(stage)
})

test('a command that crashes, hangs or is not there has failed; the session goes on to its end [S4-15]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const commands = ['kill -KILL $$', 'sleep 600 & sleep 600', 'no-such-command --now', GREEN]
  const args = [
    ...['--profile', 'verify', '--max-fix-cycles', '1', ...commands.flatMap((command) => ['--verify', command])],
    ...['--set', 'verification.fail_fast=false', '--set', 'verification.timeout_seconds=2'],
    ...['--ignore-broken-checks', 'no-such-command --now'],
  ]
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  assert.equal(result?.results[0]?.status, 'failed')
  const events = await stage.events(result?.session_id ?? '')
  const last = events.findLast((event) => event.type === 'fix_verification_result')
  const runs = last?.data.runs ?? []
  const [crashed, hung, missing, green] = runs.map(({ outcome }) => outcome)
  assert.match(crashed ?? '', /^failed: (ended by SIGKILL|exit status 137)$/)
  assert.equal(hung, 'failed: it ran out of time')
  assert.equal(missing, 'failed: exit status 127')
  assert.equal(green, 'passed')
  await checkInvariants(stage)
})

test('cancelled in the middle of a cycle, what the cycles before came to is on record [S4-11, S4-18]', async (t) => {
  const stage = await setMadeStage(t, 2, {
    files: FILES,
    change: (made) => wrongAtFirst(made, 1),
    scenario: { faults: [{ match: { role: 're_fixer' }, fault: { kind: 'hold' } }] },
  })
  const fix = stage.start(stage.made.findings, VERIFY)
  await stage.model.waitFor({ role: 're_fixer' })
  fix.child.kill('SIGINT')
  const { status, result, stderr } = await fix.ended
  assert.equal(status, 130, stderr)
  assert.deepEqual(
    [result?.status, result?.ending?.class, result?.commits, result?.skipped],
    ['cancelled', 'cancelled', [], undefined],
  )
  assert.deepEqual(
    result?.results.map((each) => each.status),
    ['skipped', 'skipped'],
  )
  const events = await stage.events(result?.session_id ?? '')
  assert.deepEqual(verdicts(events).slice(1), [[1, 'failed afresh']])
  assert.equal(events.at(-1)?.type, 'fix_session_cancelled')
  await checkInvariants(stage)
})

test('without findings, or with no cycle at all, nothing is done, and that is called skipped and never passed [S4-12, S4-18, C20]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const none = await stage.fix({ issues: [] }, { args: VERIFY })
  assert.deepEqual([none.result?.skipped, none.result?.status, none.result?.results], [true, 'skipped', []])

  const zero = await stage.fix(stage.made.findings, { args: [...VERIFY, '--max-fix-cycles', '0'] })
  assert.deepEqual(
    [zero.result?.skipped, zero.result?.status, zero.result?.issues_requested, zero.result?.issues_skipped],
    [true, 'skipped', 1, 1],
  )
  assert.match(zero.result?.results[0]?.error ?? '', /max_iterations is 0/)
  assert.match(zero.stderr, /nothing to do: max_iterations is 0/)
  assert.doesNotMatch(zero.stdout, /passed/)

  const unchecked = await stage.fix(stage.made.findings, { args: ['--profile', 'verify'], status: 2 })
  assert.match(unchecked.stderr, /the challenger is off \(profile verify\) and no verification command is set/)
  const many = await stage.fix(stage.made.findings, { args: [...VERIFY, '--max-fix-cycles', '11'], status: 2 })
  assert.match(many.stderr, /--max-fix-cycles is "11", must be a whole number from 0 to 10\n/)
  const both = ['--max-fix-cycles', '1', '--max-iterations', '2']
  await stage.fix(stage.made.findings, { args: [...VERIFY, ...both], status: 2 })

  assert.deepEqual([await stage.sessions(), stage.model.calls()], [[], []])
  await checkInvariants(stage)
})

test('--strict demands green of any profile: what was red before does not pass for being no worse [S4-3]', async (t) => {
  const stage = await setMadeStage(t, 1)
  const args = ['--verify', 'test -f never-there', '--strict', '--max-iterations', '1']
  const { result } = await stage.fix(stage.made.findings, { args, status: 1 })
  assert.match(result?.results[0]?.error ?? '', /^verification failed: test -f never-there/)
  assert.equal(prompts(stage, 'fixer').length, 1)
  await checkInvariants(stage)
})
