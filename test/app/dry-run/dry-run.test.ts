// What is told of sessions that nobody starts: of every profile, with people and planners, and where there is nothing to tell.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readCallBlock, readDataBlocks } from '../../../rehearsal/prompt.ts'
import { dryRun } from '../../../src/app/dry-run/dry-run.ts'
import { openFixwright } from '../../../src/app/index.ts'
import { formatDryPlan } from '../../../src/cli/commands/fix-dry-run.ts'
import type { DryPlan } from '../../../src/domain/session/dry-run.ts'
import { prepareSession, type StartInput } from '../../../src/preflight/check-start.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { plainGit } from '../../platform/git/support.ts'
import { setOrder } from '../../runtime/support.ts'

const FINDINGS = [
  { issue_code: 'A', title: 'One', file: 'src/app.py', line: '2' },
  { issue_code: 'B', title: 'Two', file: 'run.sh' },
  { issue_code: 'C', title: 'Three', file: 'web/page.ts' },
]

function setDesk(t: TestContext, findings: unknown = FINDINGS) {
  const desk = setOrder(t, findings)
  desk.addFile('web/page.ts')
  const { order, env } = desk
  const tell = (flags: StartInput['flags'] = {}, more: Partial<StartInput> = {}) =>
    dryRun({ ...order, ...more, flags }, env)
  const plan = async (flags: StartInput['flags'] = {}, more: Partial<StartInput> = {}): Promise<DryPlan> => {
    const told = await tell(flags, more)
    assert.ok(told.kind === 'planned', JSON.stringify(told))
    return told.plan
  }
  return { ...desk, tell, plan }
}

const outline = ({ prompts }: DryPlan) => prompts.map(({ call, role, gaps }) => [call, role, gaps.length > 0])

test('a home that is not there stays so, and the repository is only read [S4-10]', async (t) => {
  const desk = setDesk(t)
  const status = () => [desk.git(['status', '--porcelain']), desk.git(['for-each-ref']), desk.git(['count-objects'])]
  const before = status()
  const { branch, stages } = await desk.plan()
  assert.deepEqual([branch, stages.length], ['fix/one-and-2-more', 2])
  assert.equal(existsSync(desk.env.FIXWRIGHT_HOME), false)
  assert.deepEqual(status(), before)
})

test('no findings, or no attempt, is nothing to do, and what would be refused is refused [S4-10, S4-12]', async (t) => {
  const none = await setDesk(t, []).tell()
  assert.ok(none.kind === 'nothing' && /the list of findings is empty/.test(none.nothing.reason))
  const desk = setDesk(t)
  const zero = await desk.tell({ max_iterations: 0 })
  assert.ok(zero.kind === 'nothing' && /max_iterations is 0/.test(zero.nothing.reason))
  const bad = await setDesk(t, [{ title: 'without a code' }]).tell()
  assert.ok(bad.kind === 'refused' && bad.problems.length > 0)
  const unchecked = await desk.tell({ profile: 'verify' })
  assert.ok(unchecked.kind === 'refused' && /no verification command is set/.test(unchecked.problems.join()))
  desk.git(['branch', 'taken'])
  const taken = await desk.tell({}, { branch: 'taken' })
  assert.ok(taken.kind === 'refused' && /the branch taken exists already/.test(taken.problems.join()))
})

test('one call for all, checks that decide alone: every command is named, and the re-fixer has a gap for what failed [S4-10]', async (t) => {
  const desk = setDesk(t)
  const plan = await desk.plan({
    profile: 'verify',
    'verification.commands': ['npm test'],
    'verification.setup': ['npm ci'],
  })
  assert.deepEqual(outline(plan), [
    ['s1.i1.b1.fix', 'fixer', true],
    ['s1.i2.b1.fix', 're_fixer', true],
  ])
  assert.deepEqual(plan.prompts[0]?.gaps, ['«gap: what is red before any fix»'])
  const commands = plan.commands.map(({ purpose, command }) => [purpose, command])
  assert.deepEqual(commands, [
    ['setup', 'npm ci'],
    ['verification', 'npm test'],
    ['agent', 'claude'],
    ['agent', 'claude'],
  ])
  const [first, again] = plan.prompts
  assert.deepEqual(readCallBlock(first?.prompt ?? '')?.codes, ['A', 'B', 'C'])
  const [failed] = JSON.parse(readDataBlocks(again?.prompt ?? '').get('verification') ?? '')
  assert.deepEqual([failed.command, failed.output], ['npm test', '«gap: the end of what it printed»'])
  const [fixer, reFixer] = plan.commands
    .filter(({ purpose }) => purpose === 'agent')
    .map((each) => each.arguments ?? [])
  assert.ok(fixer?.includes('--session-id') && fixer.includes('--json-schema') && reFixer?.includes('--fork-session'))
})

test('where people are asked and an agent plans, the first prompt is whole and those after it have gaps [S4-10]', async (t) => {
  const desk = setDesk(t)
  const asking = await desk.plan({ profile: 'one-call', 'people.clarify': true })
  assert.deepEqual(outline(asking), [
    ['clarify.r1', 'clarifier', false],
    ['plan.p1', 'planner', true],
    ['s1.i1.b1.fix', 'fixer', true],
    ['s1.i1.challenge', 'fix_challenger', true],
    ['s1.i2.b1.fix', 're_fixer', true],
  ])
  const [clarifier, planner, fixer] = asking.prompts.map(({ prompt }) => readDataBlocks(prompt))
  assert.deepEqual(
    [clarifier, planner, fixer].map((blocks) => blocks?.has('issues')),
    [true, false, false],
  )
  assert.ok(fixer?.get('todo')?.includes(join(desk.env.FIXWRIGHT_HOME, 'sessions/fx-dry-run/fix_session_fx-dry-run')))
  const planned = await desk.plan({ profile: 'one-call' })
  assert.deepEqual(outline(planned).slice(0, 2), [
    ['plan.p1', 'planner', false],
    ['s1.i1.b1.fix', 'fixer', true],
  ])
  assert.deepEqual(planned.prompts[1]?.gaps, ['«gap: the order that the planner finds»'])
})

test('it says which commit the base is, and which one work that goes on starts from [S4-10]', async (t) => {
  const desk = setDesk(t)
  const main = desk.git(['rev-parse', 'HEAD'])
  const said = (plan: DryPlan) => formatDryPlan(plan).split('\n').slice(1, 4)
  const first = await desk.plan()
  assert.deepEqual(first.base, { name: 'main', commit: main, reviewed_against: null, goes_on_from: null })
  assert.match(said(first).join('\n'), new RegExp(`^base +main \\(${main.slice(0, 10)}\\)\nbranch +fix/`))

  desk.git(['checkout', '-q', '-b', 'fix/mine'])
  desk.write({ 'src/app.py': 'by hand\n' })
  desk.git(['commit', '-qam', 'by hand'])
  const head = desk.git(['rev-parse', 'HEAD'])
  desk.git(['checkout', '-q', 'main'])
  const home = openHome(desk.env)
  const store = await openStore(home.database)
  t.after(() => store.close())
  const prepared = await prepareSession(desk.order, home, desk.env, store)
  assert.ok(prepared.kind === 'ready')
  await store.createSession({ ...prepared.session, branch_name: 'fix/mine' }, prepared.findings)
  await store.sessions.update(prepared.session.session_id, { status: 'partial' })
  const onwards = await desk.plan()
  const existing = await desk.plan({}, { branch: 'fix/mine', useExistingBranch: true })
  for (const plan of [onwards, existing]) {
    assert.deepEqual(
      [plan.base.name, plan.base.commit, plan.base.goes_on_from, plan.branch],
      ['main', main, head, 'fix/mine'],
    )
    const words = new RegExp(
      `^base +main \\(${main.slice(0, 10)}\\)\ngoes on +from ${head.slice(0, 10)}, the head of fix/mine\n`,
    )
    assert.match(said(plan).join('\n'), words)
  }
})

test('where agents find the words for git, their calls are told as well, and that the names shown are the rules’ own [S4-10, S2-15, S2-16]', async (t) => {
  const desk = setDesk(t)
  const naming = { 'git.naming': 'agent', max_iterations: 1 }
  const plan = await desk.plan(naming)
  assert.deepEqual(outline(plan), [
    ['branch', 'git-branch-creator', false],
    ['s1.i1.b1.fix', 'fixer', false],
    ['s1.i1.challenge', 'fix_challenger', true],
    ['s1.commit.message', 'git-committer', true],
  ])
  const [branch, , , committer] = plan.prompts
  assert.deepEqual(branch?.codes, ['A', 'B', 'C'])
  assert.deepEqual(committer?.gaps, ['«gap: the diff of the fixes»'])
  const agents = plan.commands.filter(({ purpose }) => purpose === 'agent')
  const named = agents.filter(({ role }) => role?.startsWith('git-'))
  assert.deepEqual(
    named.map(({ role, timeout_seconds }) => [role, timeout_seconds]),
    [
      ['git-branch-creator', 120],
      ['git-committer', 120],
    ],
  )
  assert.ok(named.every(({ arguments: args = [] }) => args.includes('--session-id')))
  assert.equal(plan.branch, 'fix/one-and-2-more')
  assert.match(plan.notes.join(), /the branch has the name that the rules make: an agent will be asked/)

  const own = await desk.plan(naming, { branch: 'topic/mine' })
  assert.deepEqual([own.branch, outline(own)[0]?.[1]], ['topic/mine', 'fixer'])
  assert.match(own.notes.join(), /then those of an agent/)
  assert.doesNotMatch((await desk.plan()).notes.join(), /rules make/)
})

test('each agent’s first prompt is shown, however many batches follow; the challenger of all of them sees the whole stage [S4-10]', async (t) => {
  const desk = setDesk(t)
  const plan = await desk.plan({ profile: 'sequential' })
  assert.deepEqual(outline(plan), [
    ['s1.i1.b1.fix', 'fixer', false],
    ['s1.i1.challenge', 'fix_challenger', true],
    ['s1.i2.b1.fix', 're_fixer', true],
  ])
  assert.deepEqual(
    plan.prompts.map(({ codes }) => codes),
    [
      ['A', 'B'],
      ['A', 'B', 'C'],
      ['A', 'B'],
    ],
  )
  assert.match(plan.prompts[1]?.prompt ?? '', /"whole": true/)
})

test('what earlier sessions settled is left out with its reason, work that is being done is not told again, and scripts are told the same [S4-10]', async (t) => {
  const desk = setDesk(t)
  const home = openHome(desk.env)
  const store = await openStore(home.database)
  t.after(() => store.close())
  const prepared = await prepareSession(desk.order, home, desk.env, store)
  assert.ok(prepared.kind === 'ready')
  const { session, findings } = prepared
  await store.createSession(session, findings)
  const running = await desk.tell()
  assert.ok(
    running.kind === 'nothing' && running.nothing.reason.includes(`session ${session.session_id} is at this work`),
  )
  await store.issues.changeStatus({ issue_id: session.issue_ids[0] ?? '', to: 'ignored', mover: 'person', note: 'no' })
  await store.sessions.update(session.session_id, { status: 'partial' })

  const fixwright = await openFixwright({ env: desk.env })
  t.after(() => fixwright.close())
  const { findings: _, repository } = desk.order
  const told = await fixwright.dryRun({ findings: { issues: FINDINGS }, repository })
  assert.ok(told.kind === 'planned')
  assert.deepEqual(told.plan, await desk.plan())
  assert.deepEqual(
    told.plan.left_out.map(({ issue_code, reason }) => `${issue_code} ${reason}`),
    ['A is ignored already (no)'],
  )
  assert.deepEqual(
    told.plan.stages.flatMap(({ batches }) => batches.flatMap(({ steps }) => steps.flat())),
    ['B', 'C'],
  )
  assert.equal((await store.sessions.list()).length, 1)
  assert.equal(plainGit(['branch', '--list', 'fix/*'], desk.repository), '')
})
