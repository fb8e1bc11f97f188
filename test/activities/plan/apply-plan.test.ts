// The plan as it holds: our own order whatever a planner or a person says, what stands beside each issue, and the files that a call
// which hands its issues on reads it from.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { storeArtifact } from '../../../src/activities/artifacts.ts'
import { loadSession } from '../../../src/activities/context.ts'
import { ensureTodoFiles } from '../../../src/activities/plan/store-plan.ts'
import type { AnsweredQuestion } from '../../../src/domain/people/validate-messages.ts'
import { Brief } from '../../../src/domain/plan/brief.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { AppliedPlan, PlanningRules } from '../../../src/domain/workflow-types/index.ts'
import { type Bench, DEFAULTS, setBench } from '../support.ts'

const FILES = { A: 'src/app.py', B: 'src/app.py', C: 'src/lib/util.py' }
const DECIDED = { by: 'Ada', from: 'terminal', at: Date.parse('2026-11-18T12:00:00Z') }
const ONE_CALL = { profile: 'one-call' } as const

function answered(id: string, code: string | undefined, answer: string): AnsweredQuestion {
  return { id, ...(code ? { code } : {}), question: `about ${code}?`, context: 'why', answer, ...DECIDED }
}

/** What a planner's call leaves behind. */
async function plannedBy(bench: Bench, issues: Record<string, string>, execution_steps: string[][]): Promise<string> {
  const context = { snippets: ['x = 1'], related_files: ['README.md'], existing_patterns: ['guards'] }
  const plans = Object.entries(issues).map(([issue_code, approach]) => {
    return { issue_code, context, approach, steps: ['read', 'change'], verification: ['python -m compileall'] }
  })
  return await storeArtifact(
    bench.shop,
    's1',
    'todo',
    'plan.p1',
    JSON.stringify({ attempt: 1, issues: plans, execution_steps }),
  )
}

function folderOf(bench: Bench, id: string): string {
  return join(bench.shop.sessionsFolder, id, `fix_session_${id}`)
}

function read(bench: Bench, name: string): Record<string, unknown> & { execution_steps: { issues: unknown[] }[] } {
  return JSON.parse(readFileSync(join(folderOf(bench, 's1'), name), 'utf8'))
}

function stepsOf({ stages }: Pick<AppliedPlan, 'stages'>): unknown {
  return stages.map(({ batches }) => batches.map(({ steps }) => steps))
}

async function messages(bench: Bench, type: string): Promise<string[]> {
  const events = await bench.store.events.listAfter('s1')
  return events.filter((event) => event.type === type).map(({ message }) => message)
}

describe('todo files', () => {
  test('lie among the temporary files where the settings say so, for their user alone, and go with the session [S1-9]', async (t) => {
    const bench = await setBench(t)
    const id = `todo-${process.pid}`
    const folder = join(tmpdir(), `fix_session_${id}`)
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    await bench.session(id, FILES, { artifacts: { ...DEFAULTS.artifacts, todo_files: 'temporary' } })
    // Somebody else may have made one of that name, or let others write into it.
    mkdirSync(folder, { mode: 0o700 })
    chmodSync(folder, 0o777)
    await assert.rejects(bench.run('openSession', { sessionId: id }), /others may write into it: remove it, or set/)
    rmSync(folder, { recursive: true })
    await bench.run('openSession', { sessionId: id })
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    const master = JSON.parse(readFileSync(join(folder, 'master_todo.json'), 'utf8'))
    assert.equal(master.execution_steps[0].issues[0].todo, join(folder, 'fix_todo_A.json'))
    assert.equal(existsSync(folderOf(bench, id)), false)
    await bench.run('closeSession', { sessionId: id, outcomes: {}, at: Date.now() })
    assert.equal(existsSync(folder), false)
  })

  test('every session has them from its opening on, in a folder of its own outside of the clone [S1-1, S1-9]', async (t) => {
    const bench = await setBench(t)
    await bench.session('s1', FILES)
    const opened = await bench.run('openSession', { sessionId: 's1' })
    const folder = folderOf(bench, 's1')
    const names = ['fix_todo_A.json', 'fix_todo_B.json', 'fix_todo_C.json', 'master_todo.json']
    assert.deepEqual(readdirSync(folder).sort(), names)
    for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    assert.ok(!folder.startsWith(bench.workspace('s1').tree))
    const brief = Brief.parse(JSON.parse(await bench.shop.artifacts.getText(opened.brief ?? '')))
    assert.deepEqual(brief, { clarifications: [], plans: {}, notes: {}, remarks: [] })
    assert.deepEqual((await bench.store.sessions.get('s1'))?.plan?.stages, [
      { batches: [{ label: 'BE 1/1', steps: [['A', 'C'], ['B']] }] },
    ])

    // They go with the session, and what they said stays as long as its other artifacts.
    await bench.run('closeSession', { sessionId: 's1', outcomes: {}, at: Date.now() })
    assert.equal(existsSync(folder), false)
    const kept = await bench.store.artifacts.listForSession('s1', { kind: 'todo' })
    assert.deepEqual(kept.map(({ name }) => name).sort(), ['brief', ...names])
    assert.equal(kept.find(({ name }) => name === 'fix_todo_B.json')?.issue_code, 'B')
  })

  test('the master file holds steps: one file’s issues in successive ones, each step parallel or serial [S1-10]', async (t) => {
    const bench = await setBench(t)
    await bench.session('s1', FILES)
    await bench.run('openSession', { sessionId: 's1' })
    const todo = (code: string) => join(folderOf(bench, 's1'), `fix_todo_${code}.json`)
    assert.deepEqual(read(bench, 'master_todo.json'), {
      session_id: 's1',
      execution_steps: [
        {
          step: 1,
          mode: 'parallel',
          issues: [
            { code: 'A', file: 'src/app.py', todo: todo('A') },
            { code: 'C', file: 'src/lib/util.py', todo: todo('C') },
          ],
        },
        { step: 2, mode: 'serial', issues: [{ code: 'B', file: 'src/app.py', todo: todo('B') }] },
      ],
    })
  })

  test('an issue’s file holds the issue, the answers that belong to it, and its plan; another’s answers stand nowhere in it [S1-11]', async (t) => {
    const bench = await setBench(t)
    await bench.session('s1', FILES)
    await bench.run('openSession', { sessionId: 's1' })
    const all = [
      answered('A-q1', 'A', 'only for A'),
      answered('general-q1', undefined, 'for everybody'),
      answered('C-q1', 'C', 'only for C'),
    ]
    const plan = await plannedBy(bench, { A: 'guard it', C: 'rewrite it' }, [['A', 'C'], ['B']])
    const edits = [{ drop: [], order: [], notes: { B: 'mind the tests' } }]
    const laid = await bench.run('applyPlan', { sessionId: 's1', stepId: 'plan.p1.apply', answered: all, plan, edits })
    assert.deepEqual(read(bench, 'fix_todo_A.json'), {
      issue: {
        code: 'A',
        title: 'One title',
        file: 'src/app.py',
        description: '',
        severity: 'medium',
      },
      clarifications: [
        { id: 'A-q1', question: 'about A?', context: 'why', answer: 'only for A' },
        { id: 'general-q1', question: 'about undefined?', context: 'why', answer: 'for everybody' },
      ],
      context: { snippets: ['x = 1'], related_files: ['README.md'], existing_patterns: ['guards'] },
      plan: { approach: 'guard it', steps: ['read', 'change'], verification: ['python -m compileall'] },
    })
    const B = read(bench, 'fix_todo_B.json')
    assert.deepEqual([B.note, B.plan], ['mind the tests', { approach: '', steps: [], verification: [] }])
    const texts = readdirSync(folderOf(bench, 's1')).map((name) => [name, JSON.stringify(read(bench, name))] as const)
    const hold = (words: string) => texts.filter(([, text]) => text.includes(words)).map(([name]) => name)
    assert.deepEqual(hold('only for A'), ['fix_todo_A.json'])
    assert.deepEqual(hold('only for C'), ['fix_todo_C.json'])
    assert.deepEqual(hold('for everybody'), ['fix_todo_A.json', 'fix_todo_B.json', 'fix_todo_C.json'])

    const brief = Brief.parse(JSON.parse(await bench.shop.artifacts.getText(laid.brief)))
    assert.deepEqual(
      brief.clarifications.map(({ id, issue_code, answered_by }) => [id, issue_code, answered_by]),
      [
        ['A-q1', 'A', 'Ada'],
        ['general-q1', undefined, 'Ada'],
        ['C-q1', 'C', 'Ada'],
      ],
    )
    const shown = (await bench.store.sessions.get('s1'))?.plan
    assert.deepEqual([shown?.issues.A?.approach, shown?.issues.B?.note], ['guard it', 'mind the tests'])
  })

  test('they are written again where they are gone or were tampered with, with the steps of the call that reads them [C19]', async (t) => {
    const bench = await setBench(t)
    await bench.session('s1', FILES)
    const { brief } = await bench.run('openSession', { sessionId: 's1' })
    const session = await loadSession(bench.shop, 's1')
    const folder = folderOf(bench, 's1')
    const before = readFileSync(join(folder, 'fix_todo_B.json'), 'utf8')
    for (const spoil of [
      () => rmSync(folder, { recursive: true }),
      () => writeFileSync(join(folder, 'fix_todo_B.json'), '{"issue":{"file":"/etc/passwd"}}'),
      () => {
        rmSync(folder, { recursive: true })
        symlinkSync(bench.home, folder)
      },
    ]) {
      spoil()
      const todo = await ensureTodoFiles(bench.shop, session, brief, [['B']])
      assert.deepEqual(todo, { folder, master: join(folder, 'master_todo.json') })
      assert.equal(readFileSync(join(folder, 'fix_todo_B.json'), 'utf8'), before)
      assert.deepEqual(
        read(bench, 'master_todo.json').execution_steps.map(({ issues }) => issues.length),
        [1],
      )
    }
    assert.equal(existsSync(join(bench.home, 'master_todo.json')), false)
  })
})

describe('a plan', () => {
  test('that breaks our rules is corrected, and what was wrong is noted', async (t) => {
    const bench = await setBench(t)
    await bench.session('s1', FILES)
    await bench.run('openSession', { sessionId: 's1' })
    const plan = await plannedBy(bench, { A: 'a', B: 'b' }, [['A', 'B', 'NOBODY'], ['A']])
    const input = { sessionId: 's1', stepId: 'plan.p1.apply', answered: [], plan, edits: [] }
    const laid = await bench.run('applyPlan', input)
    assert.deepEqual(stepsOf(laid), [[[['A', 'C'], ['B']]]])
    const remarks = (await bench.store.sessions.get('s1'))?.plan?.remarks ?? []
    for (const told of [
      /says nothing about C/,
      /put A, B, all in src\/app\.py, into its step 1: they come one after the other/,
      /name NOBODY, which is no issue/,
      /leave out C/,
      /name A more than once/,
    ]) {
      assert.equal(remarks.filter((remark) => told.test(remark)).length, 1, String(told))
    }
    assert.deepEqual(await messages(bench, 'fix_log'), remarks)
    await bench.run('applyPlan', input)
    assert.equal((await messages(bench, 'fix_plan_ready')).length, 2, 'once at the opening, once for this call')
  })

  test('a person drops, reorders and annotates, again and again, and agrees with what came of it [S1-11]', async (t) => {
    const bench = await setBench(t)
    const settings = { limits: { ...DEFAULTS.limits, max_issues_per_cli_call: 1 } }
    await bench.session('s1', { A: 'a.py', B: 'b.py', C: 'c.py', D: 'd.ts' }, settings)
    await bench.run('openSession', { sessionId: 's1' })
    const lay = (
      call: string,
      edits: { drop: string[]; order: string[]; notes: Record<string, string> }[],
      more = {},
    ) => bench.run('applyPlan', { sessionId: 's1', stepId: call, answered: [], edits, ...more })
    const one = { drop: ['B'], order: ['D', 'C'], notes: { A: 'first', C: 'c' } }
    const first = await lay('plan.p1.apply2', [one])
    assert.deepEqual([stepsOf(first), first.dropped], [[[[['C']]], [[['A']]], [[['D']]]], ['B']])
    assert.match((await bench.store.sessions.get('s1'))?.plan?.remarks.join() ?? '', /D can't come as early/)

    const two = { drop: [], order: ['A'], notes: { A: 'second' } }
    const second = await lay('plan.p1.agreed', [one, two], { approved: DECIDED })
    assert.deepEqual(stepsOf(second), [[[['A']]], [[['C']]], [[['D']]]])
    const plan = (await bench.store.sessions.get('s1'))?.plan
    assert.deepEqual([plan?.issues.A?.note, plan?.issues.C?.note, plan?.approved_by], ['second', 'c', 'Ada'])
    assert.deepEqual(plan?.remarks, [])
    assert.match((await messages(bench, 'fix_plan_ready')).at(-1) ?? '', /without B, approved by Ada/)
  })

  test('in one call that is more than fits its time is sliced, and the log says so', async (t) => {
    const bench = await setBench(t)
    const limits = { ...DEFAULTS.limits, max_workload_points_per_one_call: 6 }
    await bench.session('s1', FILES, { ...ONE_CALL, limits, planner: 'rules' })
    const opened = await bench.run('openSession', { sessionId: 's1' })
    assert.deepEqual(stepsOf(opened), [[[['A'], ['B']], [['C']]]])
    assert.equal(opened.planning, undefined)
    const sliced = /9 points of work are more than the 6 that one call gets: they are sliced into 2 calls/
    assert.match((await messages(bench, 'fix_log')).join(), sliced)

    await bench.session('s2', FILES, { ...ONE_CALL })
    const whole = await bench.run('openSession', { sessionId: 's2' })
    assert.deepEqual(stepsOf(whole), [[[['A', 'C'], ['B']]]])
    assert.ok(whole.stages[0]?.batches[0]?.delegates)
    assert.equal(
      (await bench.store.events.listAfter('s2')).some(({ message }) => /sliced/.test(message)),
      false,
    )
  })
})

test('a session says what people have a say in, and how long they have for it', async (t) => {
  const bench = await setBench(t)
  const bounds = { maxClarifyRounds: 5, maxPlanRejections: 3 }
  const ask = { clarify: true, clarify_deadline_seconds: 60 }
  const approve = { approve_plan: true }
  const cases: [Partial<Settings>, PlanningRules | undefined, string][] = [
    [{}, undefined, 'generating'],
    [{ planner: 'agent' }, { clarify: false, planner: 'agent', approvePlan: false, ...bounds }, 'analyzing'],
    [
      { people: { ...DEFAULTS.people, ...ask } },
      { clarify: true, planner: 'rules', approvePlan: false, ...bounds },
      'analyzing',
    ],
    [
      { people: { ...DEFAULTS.people, ...approve } },
      { clarify: false, planner: 'agent', approvePlan: true, ...bounds },
      'analyzing',
    ],
    [
      { people: { ...DEFAULTS.people, ...approve }, planner: 'rules' },
      { clarify: false, planner: 'rules', approvePlan: true, ...bounds },
      'analyzing',
    ],
  ]
  for (const [index, [settings, talk, status]] of cases.entries()) {
    const id = `s${index + 1}`
    await bench.session(id, FILES, settings)
    const opened = await bench.run('openSession', { sessionId: id })
    assert.deepEqual(opened.planning, talk, id)
    assert.equal((await bench.store.sessions.get(id))?.status, status, id)
    assert.equal(opened.timeouts.clarifySeconds, index === 2 ? 60 : 604_800)
    assert.deepEqual([opened.timeouts.planSeconds, opened.timeouts.scopeSeconds], [604_800, 604_800])
  }
})
