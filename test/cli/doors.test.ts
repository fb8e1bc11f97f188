// `answer`, `plan`, `scope`, and what others show of a session that waits for a person, as far as the store alone tells it: what is
// looked at, what is refused before anything is started, what an ended session is told.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import type { OpenDecision, SessionWaiting } from '../../src/domain/session/session.ts'
import { atTerminal, CTRL_C, CTRL_D, ENTER } from '../support/terminal.ts'
import { addSession, type Desk, endSession, setDesk } from './support.ts'

const SINCE = '2026-11-13T16:00:00.000Z'
const UNTIL = '2026-11-20T16:00:00.000Z'

const QUESTIONS: OpenDecision = {
  kind: 'clarification',
  request: 'clarify.r1',
  questions: [
    { id: 'BE-001-q1', issue_code: 'BE-001', question: 'How strict?\u001b[2J', context: 'Two callers.' },
    { id: 'general-q1', question: 'May the interface change?', context: '' },
  ],
}

async function wait(desk: Desk, id: string, kind: SessionWaiting['kind'], decision?: OpenDecision): Promise<void> {
  const waiting = { kind, reason: `a word about the ${kind}`, since: SINCE, until: UNTIL }
  const more = decision ? { decision } : {}
  await desk.store.sessions.update(id, { status: 'awaiting_clarification', waiting, ...more })
}

async function setAsking(desk: Desk): Promise<void> {
  await addSession(desk, 'fx-ask', ['BE-001', 'BE-002'])
  await wait(desk, 'fx-ask', 'clarification', QUESTIONS)
}

async function setPlanned(desk: Desk): Promise<void> {
  await addSession(desk, 'fx-plan', ['BE-001', 'BE-002', 'FE-001'])
  const none = { snippets: [], related_files: [], existing_patterns: [] }
  await desk.store.sessions.update('fx-plan', {
    plan: {
      stages: [
        { batches: [{ label: 'BE 1/1', steps: [['BE-001'], ['BE-002']] }] },
        { batches: [{ label: 'FE 1/1', steps: [['FE-001']] }] },
      ],
      issues: {
        'BE-001': { context: none, approach: 'Guard it.', steps: ['Add the check'], verification: ['pytest'] },
        'BE-002': { context: none, approach: '', steps: [], verification: [], note: 'ask Kim first' },
      },
      remarks: ['BE-002 is after BE-001: both are in src/cart.py'],
    },
  })
  await wait(desk, 'fx-plan', 'plan', { kind: 'plan', request: 'plan.p1' })
}

async function setOutside(desk: Desk): Promise<void> {
  await addSession(desk, 'fx-out', ['BE-001', 'BE-002'])
  const diff = await openArtifactStore(desk.home.artifacts).put(
    '--- a/lib/x.py\n+++ b/lib/x.py\n@@ -1 +1 @@\n-old\n+new\n',
  )
  const files = [{ path: 'lib/x.py', why: 'outside the workspace', issue_codes: ['BE-001'] }]
  await wait(desk, 'fx-out', 'scope', { kind: 'scope', request: 's1.i1.b1.fix', files, more: 3, diff_ref: diff.ref })
}

describe('what waits for a person', { concurrency: 3 }, () => {
  test('status says in words what it waits for, since when, until when, and which command answers', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    const { stdout } = await desk.run('status', 'fx-ask')
    assert.match(stdout, /status +waits for an answer\n/)
    assert.match(stdout, /waiting +a word about the clarification until 2026-11-20 .*\nsince +2026-11-13 .*\n/)
    assert.match(stdout, /to answer +fixwright answer fx-ask\n/)
    assert.match(
      stdout,
      /\? BE-001-q1 {2}How strict\?\n {2}Two callers\.\n\? general-q1 {2}May the interface change\?\n/,
    )
    assert.doesNotMatch(stdout, /next "fixwright up"/, 'nothing has to run meanwhile')
  })

  test('status --json has the open questions, the plan, the scope with its files and diff, and the wait [S2-3]', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    await setPlanned(desk)
    await setOutside(desk)
    const [asking, planned, outside] = await Promise.all(
      ['fx-ask', 'fx-plan', 'fx-out'].map(async (id) => JSON.parse((await desk.run('status', id, '--json')).stdout)),
    )
    assert.deepEqual(asking.questions, QUESTIONS.kind === 'clarification' && QUESTIONS.questions)
    assert.deepEqual(asking.waiting, {
      kind: 'clarification',
      reason: 'a word about the clarification',
      since: SINCE,
      until: UNTIL,
      answer: 'fixwright answer fx-ask',
    })
    assert.deepEqual(
      [asking.session_id, asking.status, asking.plan, asking.scope],
      ['fx-ask', 'awaiting_clarification', null, null],
    )
    assert.deepEqual([planned.request, planned.waiting.answer], ['plan.p1', 'fixwright plan fx-plan'])
    assert.equal(planned.plan.issues['BE-001'].approach, 'Guard it.')
    assert.deepEqual(outside.scope.files, [{ path: 'lib/x.py', why: 'outside the workspace', issue_codes: ['BE-001'] }])
    assert.match(outside.scope.diff, /\+new\n/)
    assert.equal(outside.waiting.answer, 'fixwright scope fx-out')
  })

  test('a question that was answered is open no more, though the others of its round are', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    const said = { name: 'answerClarification', by: 'kim', from: 'a terminal', at: Date.now() }
    await desk.store.messages.add('fx-ask', [
      { ...said, key: 'said/1', outcome: 'refused', response: 'general-q1' },
      { ...said, key: 'said/2', outcome: 'taken', response: 'BE-001-q1', answered_question_ids: ['BE-001-q1'] },
    ])
    const { questions } = JSON.parse((await desk.run('status', 'fx-ask', '--json')).stdout)
    assert.deepEqual(
      questions.map(({ id }: { id: string }) => id),
      ['general-q1'],
    )
  })

  test('list has those that wait for a person first, also when they are older than its page is long', async (t) => {
    const desk = await setDesk(t)
    await setPlanned(desk)
    for (let index = 0; index < 21; index++) await addSession(desk, `fx-${index}`, ['A'], { task_id: `${index}` })
    await wait(desk, 'fx-3', 'limit')
    const lines = (await desk.run('list')).stdout.trim().split('\n')
    assert.equal(lines.length, 1 + 20)
    assert.match(lines[1] ?? '', /^fx-plan .* asks: plan /)
    assert.match(lines[2] ?? '', /^fx-20 /)
  })

  test('logs shows who said what, from where, and what became of it, after the last event', async (t) => {
    const desk = await setDesk(t)
    await addSession(desk, 'fx-said', ['BE-001'])
    await endSession(desk, 'fx-said')
    const late = await desk.run('answer', 'fx-said', '--answer', 'BE-001-q1=the strict one')
    assert.equal(late.status, 2)
    assert.match(late.stderr, /nothing was changed: session fx-said has ended: completed/)
    const { stdout } = await desk.run('logs', 'fx-said')
    const [story = '', said = ''] = stdout.split('\nsaid\n')
    assert.match(story, /■ 1 fixed, .* USD\n$/)
    assert.match(said, /refused +answerClarification +\S+ \(terminal on \S+\): it came after the end of the session/)
    assert.equal(existsSync(desk.home.instanceFile), false, 'nothing was started for it')
  })
})

describe('answer', { concurrency: 3 }, () => {
  test('what can not be read is refused with the reason, and starts nothing', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    const file = join(desk.folder, 'answers.json')
    writeFileSync(file, '["one"]')
    writeFileSync(join(desk.folder, 'other.json'), '{"BE-001-q1": "loose"}')
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--answer', 'nonsense'], /--answer nonsense: must be ID=text/],
      [['--answer', 'FOO=bar'], /must be the id of a question, as in FUNC-001-q1/],
      [['--answer', 'BE-001-q1= '], /answers\.BE-001-q1: /],
      [['--file', file], /must hold answers by the ids/],
      [['--file', join(desk.folder, 'none.json')], /none\.json can't be read: there is no such file\n/],
      [['--file', join(desk.folder, 'other.json'), '--answer', 'BE-001-q1=strict'], /BE-001-q1 is answered twice/],
      [[], /\? BE-001-q1[\s\S]*give --answer BE-001-q1="…" \(repeatable\), --file answers\.json, or --skip/],
    ]
    for (const [args, words] of cases) {
      const { status, stdout, stderr } = await desk.run('answer', 'fx-ask', ...args)
      assert.deepEqual([status, stdout], [2, ''], args.join(' '))
      assert.match(stderr, words)
      assert.match(stderr, /nothing was changed/)
    }
    assert.equal(existsSync(desk.home.instanceFile), false)
    assert.deepEqual(await desk.store.messages.listForSession('fx-ask'), [])
  })

  test('where nothing is asked it says what the session waits for instead', async (t) => {
    const desk = await setDesk(t)
    await setPlanned(desk)
    const { status, stderr } = await desk.run('answer', 'fx-plan')
    assert.equal(status, 2)
    assert.match(stderr, /asks nothing now; it waits for a word about the plan[\s\S]*fixwright plan fx-plan/)
  })

  test('on a terminal the questions come one by one; what is left open stays open', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    const terminal = atTerminal(t, desk, 'answer', 'fx-ask')
    await terminal.shows(/\? BE-001-q1 {2}How strict\?\n {2}Two callers\.\n.*2 questions are open.*\n> /)
    terminal.types(ENTER)
    await terminal.shows(/general-q1[\s\S]*> /)
    terminal.types(CTRL_D)
    await terminal.shows(/2 questions are still open:[\s\S]*skip[\s\S]*> /)
    terminal.types(`x${ENTER}`)
    await terminal.shows(/type one of l, s[\s\S]*> /)
    terminal.types(`later${ENTER}`)
    assert.equal(await terminal.ended, 0)
    assert.equal(existsSync(desk.home.instanceFile), false, 'nothing was said, so nothing was started')
  })

  test('an open question closes by itself when somebody else settles it; Ctrl-C leaves', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    const terminal = atTerminal(t, desk, 'answer', 'fx-ask')
    await terminal.shows(/BE-001-q1[\s\S]*> /)
    const said = { name: 'answerClarification', by: 'kim', from: 'elsewhere', at: Date.now() }
    await desk.store.messages.add('fx-ask', [
      { ...said, key: 'said/1', outcome: 'taken', response: 'BE-001-q1', answered_question_ids: ['BE-001-q1'] },
    ])
    await terminal.shows(/that is settled: somebody else was faster\n\? general-q1[\s\S]*> /)
    terminal.types(`half a wo${CTRL_C}`)
    assert.equal(await terminal.ended, 130)
    assert.match(terminal.shown(), /left: what was not answered stays open/)
  })
})

describe('plan', { concurrency: 3 }, () => {
  test('shows order, approach, steps, checks, notes and remarks, and how to decide', async (t) => {
    const desk = await setDesk(t)
    await setPlanned(desk)
    const { status, stdout } = await desk.run('plan', 'fx-plan')
    assert.equal(status, 0)
    assert.match(
      stdout,
      /BE 1\/1 {2}BE-001, then BE-002\n {2}BE-001 {2}About BE-001\n {4}Guard it\.\n {4}1\. Add the check\n/,
    )
    assert.match(stdout, /checked by: pytest\n[\s\S]*note: ask Kim first\n[\s\S]*! BE-002 is after BE-001/)
    assert.match(stdout, /to answer: fixwright plan fx-plan\n/)
  })

  test('contradictions and unreadable edits are refused before anything is started', async (t) => {
    const desk = await setDesk(t)
    await setPlanned(desk)
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--approve', '--reject', 'no'], /rejected, or edited and approved: not both/],
      [['--reject', 'no', '--drop', 'BE-001'], /not both/],
      [['--note', 'nothing'], /--note nothing: must be CODE=text/],
      [['--drop', '../x'], /edit\.drop\.0: /],
      [['--reject', ' '], /reason: /],
    ]
    for (const [args, words] of cases) {
      const { status, stderr } = await desk.run('plan', 'fx-plan', ...args)
      assert.equal(status, 2, args.join(' '))
      assert.match(stderr, words)
    }
    assert.equal(existsSync(desk.home.instanceFile), false)
  })

  test('an editor that fails, changes nothing or breaks the file changes nothing', async (t) => {
    const desk = await setDesk(t)
    await setPlanned(desk)
    const edits: readonly (readonly [string, RegExp])[] = [
      ['false', /the editor \(false\) ended with 1/],
      ['true', /nothing was changed in it/],
      ['sed -i s/order:/oder:/', /Unrecognized key: "oder"/],
      ['sed -i "s/^order:/order: [/"', /that is no YAML/],
    ]
    for (const [EDITOR, words] of edits) {
      const { status, stderr } = await desk.runWith({ EDITOR }, 'plan', 'fx-plan', '--edit')
      assert.equal(status, 2, EDITOR)
      assert.match(stderr, words)
    }
    const VISUAL = `sh -c 'cat "$1" >&2' show`
    const shown = await desk.runWith({ VISUAL, EDITOR: 'false' }, 'plan', 'fx-plan', '--edit')
    assert.match(
      shown.stderr,
      /order:\n {2}- BE-001\n {2}- BE-002\n {2}- FE-001\ndrop: \[\]\nnotes:\n {2}BE-001: ""\n {2}BE-002: ask Kim first\n/,
    )
  })

  test('on a terminal it can be looked at and left for later', async (t) => {
    const desk = await setDesk(t)
    await setPlanned(desk)
    const terminal = atTerminal(t, desk, 'plan', 'fx-plan')
    await terminal.shows(/BE 1\/1[\s\S]*approve[\s\S]*later[\s\S]*> /)
    terminal.types('l\n')
    assert.equal(await terminal.ended, 0)
  })
})

describe('scope', { concurrency: 3 }, () => {
  test('shows the files by their issue, why they are in question, and the diff [S2-31]', async (t) => {
    const desk = await setDesk(t)
    await setOutside(desk)
    const { status, stdout } = await desk.run('scope', 'fx-out')
    assert.equal(status, 0)
    assert.match(
      stdout,
      /^BE-001\n {2}lib\/x\.py {2}outside the workspace\n {2}and 3 more\n\n--- a\/lib\/x\.py\n[\s\S]*-old\n\+new\n/,
    )
    assert.match(stdout, /to answer: fixwright scope fx-out\n/)
  })

  test('contradictory options are refused; with nothing in question it says so', async (t) => {
    const desk = await setDesk(t)
    await setAsking(desk)
    for (const args of [['--approve', '--reject'], ['--approve', 'a', '--approve-once', 'b'], ['--for-repository']]) {
      assert.equal((await desk.run('scope', 'fx-ask', ...args)).status, 2, args.join(' '))
    }
    assert.match((await desk.run('scope', 'fx-ask')).stdout, /no change outside of the scope waits/)
    assert.equal(existsSync(desk.home.instanceFile), false)
  })

  test('on a terminal some of the files can be picked by their numbers, and a wrong number is told', async (t) => {
    const desk = await setDesk(t)
    await setOutside(desk)
    const terminal = atTerminal(t, desk, 'scope', 'fx-out')
    await terminal.shows(/lib\/x\.py[\s\S]*> /)
    terminal.types(`s${ENTER}`)
    await terminal.shows(/1 {2}lib\/x\.py\nwhich\? Their numbers:\n> /)
    terminal.types(`2${ENTER}`)
    await terminal.shows(/type numbers from 1 to 1\n[\s\S]*> /)
    terminal.types(CTRL_D)
    assert.equal(await terminal.ended, 0)
  })
})
