// People and a session that really runs, through the commands: it asks, they answer from wherever they are, and it goes on.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promptOf } from '../../rehearsal/calls.ts'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import type { SessionState } from '../../src/domain/session/session-state.ts'
import { findLiveInstance } from '../../src/runtime/instance/instance-file.ts'
import { checkInvariants } from '../support/invariants.ts'
import { bash, change, rightEdit } from '../support/scripting.ts'
import { type E2eStage, type RunningCommand, setMadeStage } from '../support/session.ts'
import { atTerminal, CTRL_C, ENTER } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const QUESTIONS: ScenarioInput = {
  clarify: [
    {
      questions: [
        { issue_code: 'T-001', question: 'How strict should it be?', context: 'There are two callers.' },
        { question: 'May the interface change?' },
      ],
    },
  ],
}

/** What the first call of a role was told. */
function promptFor(stage: E2eStage, role: string): string {
  const call = stage.model.calls().find((each) => each.role === role && each.step === 0)
  assert.ok(call, `there was a call of the ${role}`)
  return promptOf(call) ?? ''
}

/** `fix` until it waits for a person, and nothing runs any more. */
async function fixUntilItWaits(stage: E2eStage & { made: { findings: unknown } }, ...args: string[]) {
  const { status, stdout, stderr } = await stage.start(stage.made.findings, [...args, '--no-wait']).ended
  assert.equal(status, 4, stderr)
  await stage.quiet()
  return { state: JSON.parse(stdout) as SessionState, stderr }
}

function findingsFile({ folder, made }: E2eStage & { made: { findings: unknown } }): string {
  const file = join(folder, 'findings.json')
  writeFileSync(file, JSON.stringify(made.findings))
  return file
}

/** Every process that was started with this folder in its words or in its environment. */
function processesOf(folder: string): string[] {
  return globSync('/proc/[0-9]*/{cmdline,environ}').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(folder)
    } catch {
      // It has just ended, or is somebody else's.
      return false
    }
  })
}

async function stateOf(command: RunningCommand, status = 0): Promise<SessionState> {
  const ended = await command.ended
  assert.equal(ended.status, status, ended.stderr)
  return JSON.parse(ended.stdout) as SessionState
}

describe('people and a session', { concurrency: 2 }, () => {
  test('a session that asks ends with 4 where nobody waits, costs no process, and an answer brings all back [S2-3, S2-4]', async (t) => {
    const stage = await setMadeStage(t, 2, { server: 'own', scenario: QUESTIONS })
    const { state, stderr } = await fixUntilItWaits(stage, '--clarify')
    const id = state.session_id
    assert.match(stderr, /waits for an answer to 2 questions.*since.*until[\s\S]*to answer: fixwright answer fx-/)
    assert.deepEqual(
      state.questions.map(({ id, issue_code, question }) => [id, issue_code, question]),
      [
        ['T-001-q1', 'T-001', 'How strict should it be?'],
        ['general-q1', undefined, 'May the interface change?'],
      ],
    )
    assert.equal(state.waiting?.answer, `fixwright answer ${id}`)
    // Neither the instance nor its server runs: the wait is a timer in a database.
    assert.equal(findLiveInstance(stage.home), undefined)
    assert.ok(!existsSync(stage.home.instanceFile))
    await until('no process of it is left', () => processesOf(stage.home.path).length === 0)

    const answers = ['--answer', 'T-001-q1=very strict', '--answer', 'general-q1=no']
    const ended = await stateOf(stage.command('answer', id, ...answers, '--json'))
    assert.deepEqual([ended.status, ended.counts.fixed, ended.waiting], ['completed', 2, null])
    assert.match(promptFor(stage, 'fixer'), /How strict should it be\?[\s\S]*very strict/)
    const received = (await stage.events(id)).filter(({ type }) => type === 'fix_clarification_received')
    assert.match(received[0]?.message ?? '', /T-001-q1, \S+ \(terminal on \S+\): very strict/)
    await checkInvariants(stage)
  })

  test('one answer at a time: what is refused changes nothing and says why, what is repeated is fine [S2-4]', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: QUESTIONS })
    const fix = stage.start(stage.made.findings, ['--clarify'])
    await fix.says(/waits for an answer[\s\S]*to answer: fixwright answer (fx-\w+)/)
    const [session] = await stage.sessions()
    const id = session?.session_id ?? ''
    const answer = (...args: string[]) => stage.command('answer', id, ...args).ended

    const wrong = await answer('--answer', 'T-001-q7=x')
    assert.equal(wrong.status, 2)
    assert.match(wrong.stderr, /nothing was changed: there is no open question T-001-q7: open are T-001-q1, general-q1/)
    const one = await stateOf(stage.command('answer', id, '--answer', 'T-001-q1=strict', '--json'))
    assert.deepEqual(
      one.questions.map((question) => question.id),
      ['general-q1'],
    )
    assert.equal((await answer('--answer', 'T-001-q1=strict')).status, 0, 'the same again')
    const other = await answer('--answer', 'T-001-q1=loose')
    assert.equal(other.status, 2)
    assert.match(other.stderr, /T-001-q1 was answered by \S+ already, differently: "strict"/)
    const last = await answer('--skip')
    assert.equal(last.status, 0, last.stderr)

    const { status, stderr } = await fix.ended
    assert.equal(status, 0, stderr)
    assert.match(promptFor(stage, 'fixer'), /strict/)
    assert.equal((await answer('--skip')).status, 2, 'it has ended')
    const { stdout } = await stage.command('logs', id).ended
    const said = stdout.split('\nsaid\n')[1] ?? ''
    const outcomes = [...said.matchAll(/(taken|repeated|refused) +answerClarification/g)].map(([, outcome]) => outcome)
    assert.deepEqual(outcomes, ['refused', 'taken', 'repeated', 'refused', 'taken', 'refused'])
    await checkInvariants(stage)
  })

  test('fix on a terminal asks right there: questions, then the plan; one that is settled elsewhere closes by itself', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: QUESTIONS })
    const file = findingsFile(stage)
    const more = ['--repo', stage.repository, '--clarify', '--approve-plan']
    const terminal = atTerminal(t, stage, 'fix', file, ...more)
    await terminal.shows(/\? T-001-q1 {2}How strict should it be\?\n {2}There are two callers\.\n[\s\S]*> /)
    const id = (await stage.sessions())[0]?.session_id ?? ''
    assert.equal((await stage.command('answer', id, '--answer', 'T-001-q1=from elsewhere').ended).status, 0)
    await terminal.shows(/that is settled: somebody else was faster[\s\S]*\? general-q1[\s\S]*> /)
    terminal.types(`only if it must${ENTER}`)
    await terminal.shows(/✔ general-q1/)
    await terminal.shows(/T-001[\s\S]*the plan:\n[\s\S]*> /)
    terminal.types(`a${ENTER}`)
    await terminal.shows(/✔ the plan: approve/)
    assert.equal(await terminal.ended, 0, terminal.shown())
    const told = promptFor(stage, 'fixer')
    assert.match(told, /from elsewhere/)
    assert.match(told, /only if it must/)
    await checkInvariants(stage)
  })

  test('Ctrl-C in a question asks first, and cancels the second time', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: QUESTIONS })
    const file = findingsFile(stage)
    const terminal = atTerminal(t, stage, 'fix', file, '--repo', stage.repository, '--clarify')
    await terminal.shows(/T-001-q1[\s\S]*> /)
    terminal.types(CTRL_C)
    await terminal.shows(/session \S+: d detaches .*c or Ctrl-C cancels/)
    terminal.types(CTRL_C)
    await terminal.shows(/cancelling session/)
    assert.equal(await terminal.ended, 130, terminal.shown())
    const [session] = await stage.sessions()
    assert.equal(session?.status, 'cancelled')
    assert.match(session?.ending?.reason ?? '', /^cancelled by \S+/)
    await checkInvariants(stage, 'cancelled')
  })

  test('a plan is rejected with a reason, edited, and approved with nothing running in between [S1-1]', async (t) => {
    const stage = await setMadeStage(t, 3)
    const { state } = await fixUntilItWaits(stage, '--approve-plan')
    const id = state.session_id
    assert.equal(state.waiting?.answer, `fixwright plan ${id}`)
    assert.ok(state.plan?.issues['T-001']?.approach)
    const shown = await stage.command('plan', id).ended
    assert.match(shown.stdout, /T-001[\s\S]*T-002[\s\S]*T-003[\s\S]*to answer: fixwright plan/)

    const again = await stateOf(stage.command('plan', id, '--reject', 'too risky', '--json'))
    assert.equal(again.waiting?.kind, 'plan')
    assert.notEqual(again.request, state.request)
    assert.ok(stage.model.calls().some((call) => call.role === 'planner' && /too risky/.test(promptOf(call) ?? '')))
    const unknown = await stage.command('plan', id, '--drop', 'T-009').ended
    assert.equal(unknown.status, 2)
    assert.match(unknown.stderr, /nothing was changed: the plan has no issue T-009/)

    // At first it leaves no YAML behind: the text comes back with the reason above it.
    const change = 's/T-003: .*/T-003: mind the zero/; /^broken/d'
    const EDITOR = `sh -c 'if grep -q "^#! that is no YAML" "$1"; then sed -i "${change}" "$1"; else echo "broken: [" >> "$1"; fi' edit`
    const edited = await stage.commandWith({ EDITOR }, 'plan', id, '--edit', '--drop', 'T-002', '--json').ended
    assert.equal(edited.status, 0, edited.stderr)
    assert.match(edited.stderr, /opened again: that is no YAML/)
    const hopeless = await stage.commandWith({ EDITOR: 'sh -c "echo broken: [ > $1" edit' }, 'plan', id, '--edit').ended
    assert.equal(hopeless.status, 2)
    assert.match(hopeless.stderr, /nothing was changed: that is no YAML/)
    const changed = JSON.parse(edited.stdout) as SessionState
    assert.equal(changed.plan?.issues['T-003']?.note, 'mind the zero')
    assert.doesNotMatch(JSON.stringify(changed.plan?.stages), /T-002/)
    const ended = await stateOf(stage.command('plan', id, '--approve', '--json'), 1)
    assert.deepEqual([ended.counts.fixed, ended.counts.skipped], [2, 1])
    assert.match(promptFor(stage, 'fixer'), /mind the zero/)
    await checkInvariants(stage)
  })

  test('what lies outside of the workspace waits: shown with its diff, let through by path, or taken back [S2-31]', async (t) => {
    const stage = await setMadeStage(t, 2, {
      change: (made) => {
        const more = (code: string) => [rightEdit(made, code), bash(`mkdir -p lib && echo ${code} > lib/${code}.txt`)]
        for (const code of ['T-001', 'T-002']) {
          change(made, code, { fixes: [{ steps: more(code), reply: { file_modified: [`lib/${code}.txt`] } }] })
        }
      },
    })
    const limits = ['--set', 'limits.max_issues_per_cli_call=1', '--set', 'max_iterations=1']
    const { state } = await fixUntilItWaits(stage, '--workspace', 'ledger', '--allow', 'docs/', ...limits)
    const id = state.session_id
    assert.deepEqual(
      state.scope?.files.map(({ path, issue_codes }) => [path, issue_codes]),
      [['lib/T-001.txt', ['T-001']]],
    )
    assert.match(state.scope?.diff ?? '', /\+T-001/)
    const none = await stage.command('scope', id, '--approve', 'lib/other.txt').ended
    assert.equal(none.status, 2)
    assert.match(none.stderr, /lib\/other\.txt: not among the files in question/)
    const next = await stateOf(stage.command('scope', id, '--approve', 'lib/T-001.txt', '--json'))
    assert.deepEqual(
      next.scope?.files.map(({ path }) => path),
      ['lib/T-002.txt'],
    )
    await stage.quiet()
    const ended = await stateOf(stage.command('scope', id, '--reject', 'not there', '--json'), 1)
    assert.deepEqual([ended.counts.fixed, ended.counts.failed], [1, 1])
    assert.match(
      ended.issues[1]?.error ?? '',
      /not approved by \S+: lib\/T-002\.txt \(outside the workspace\): not there/,
    )
    assert.equal(stage.git('diff', '--name-only', 'main', `${ended.branch}`), 'ledger/part_000.py\nlib/T-001.txt')
    await checkInvariants(stage, 'scope-decided')
  })

  test('a waiting session that nobody works on is cancelled, with the reason on record', async (t) => {
    const stage = await setMadeStage(t, 1, { scenario: QUESTIONS })
    const { state } = await fixUntilItWaits(stage, '--clarify')
    const cancel = await stage.command('cancel', state.session_id, '--reason', 'not worth it', '--json').ended
    assert.equal(cancel.status, 0, cancel.stderr)
    assert.match(cancel.result?.ending?.reason ?? '', /cancelled by \S+: not worth it/)
    await until('the instance has gone', () => findLiveInstance(stage.home) === undefined)
    await checkInvariants(stage, 'cancelled')
  })
})
