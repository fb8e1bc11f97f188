// What a stage does about changes that only a person may let through, and which conversation each of its calls goes on with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FixerDoes, play, type Script, stageOf, type World } from '../../support/fake-ports.ts'
import { statuses } from '../../support/stage-scripts.ts'

const LIMIT = { class: 'limit', reason: 'rate_limit', detail: 'rate limit of the provider' } as const
const OUTSIDE: FixerDoes = {
  write: { 'a.py': 'A=97', 'outside/a.txt': 'A=97', 'b.py': 'B=98' },
  claims: { A: ['outside/a.txt'] },
}

function turns(...does: readonly FixerDoes[]): Pick<Script, 'fixer'> {
  return { fixer: ({ turn }) => does[turn] ?? {} }
}

function kinds({ seen }: World): string[] {
  return seen.map(({ kind }) => kind)
}

function resumes({ seen }: World): (string | undefined)[] {
  return seen.filter(({ kind }) => kind === 'fix').map(({ resume }) => resume)
}

test('changes outside of the scope go to a person before any gate is asked, and stay when they are approved [S2-31]', async () => {
  const world = await play(stageOf('AB'), turns(OUTSIDE))
  assert.deepEqual(kinds(world), ['fix', 'scope', 'verify', 'challenge', 'commit'])
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'resolved' })
  assert.equal(world.commits[0]?.files['outside/a.txt'], 'A=97')
})

test('what a person turns down takes all of its issue back, without another round, and the others go on [S2-31]', async () => {
  const world = await play(stageOf('AB'), { ...turns(OUTSIDE), person: () => ['A'] })
  assert.deepEqual(statuses(world), { A: 'failed', B: 'resolved' })
  assert.equal(world.result.outcomes.A?.reason, 'turned down by a person')
  assert.deepEqual(Object.keys(world.commits[0]?.files ?? {}).sort(), ['b.py', 'readme.md'])
  assert.equal(world.seen.filter(({ kind }) => kind === 'fix').length, 1)
})

test('an issue that shares files with one that was turned down goes back with it [S2-31]', async () => {
  const shared: FixerDoes = { ...OUTSIDE, claims: { A: ['outside/a.txt', 'b.py'] } }
  const world = await play(stageOf('AB'), { ...turns(shared), person: () => ['A'] })
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed' })
  assert.deepEqual(world.commits, [])
})

test('what an interrupted call changed outside of the scope is asked about once the call after it has built on it', async () => {
  const interrupted: FixerDoes = { ...OUTSIDE, failure: LIMIT }
  const script = { ...turns(interrupted, { write: { 'b.py': 'B=99' } }), person: () => ['A'] }
  const world = await play(stageOf('AB'), script)
  assert.deepEqual(kinds(world), ['fix', 'wait', 'fix', 'scope', 'verify', 'challenge', 'commit'])
  assert.deepEqual(statuses(world), { A: 'failed', B: 'resolved' })
  assert.equal(world.commits[0]?.files['outside/a.txt'], undefined)
})

test("each issue that is taken back says why it was: its own fault, or a person's word", async () => {
  const both: FixerDoes = {
    write: { ...OUTSIDE.write, 'protected/b.txt': 'B' },
    claims: { A: ['outside/a.txt'], B: ['protected/b.txt'] },
  }
  const { result } = await play(stageOf('AB'), { ...turns(both), person: () => ['A'] })
  assert.equal(result.outcomes.A?.reason, 'turned down by a person')
  assert.equal(result.outcomes.B?.reason, 'the fix touched what it may not: protected/b.txt')
})

test('a first fix goes on from the plan, a re-fix from the attempt whose tree it starts on [S1-12]', async () => {
  const does = turns({ write: { 'a.py': 'A=70' } }, { write: { 'a.py': 'A=97' } })
  const world = await play(stageOf('A'), does, { planned: 'plan' })
  assert.deepEqual(resumes(world), ['plan', 'talk of s1.i1.b1.fix'])
})

test('without a plan there is nothing to go on with at first [S1-12]', async () => {
  const world = await play(stageOf('A'), turns({ write: { 'a.py': 'A=97' } }))
  assert.deepEqual(resumes(world), [undefined])
})

test('each batch goes on from the plan, not from the batch before: its input does not grow with their number [S1-13]', async () => {
  const world = await play(
    stageOf('A', 'B', 'C'),
    { fixer: ({ codes: [code = ''] }) => ({ write: { [`${code.toLowerCase()}.py`]: `${code}=97` } }) },
    { planned: 'plan' },
  )
  assert.deepEqual(resumes(world), ['plan', 'plan', 'plan'])
})

test('nobody goes on with an attempt that was thrown away, or with a call that was never completed [S1-12]', async () => {
  const crashed: FixerDoes = { failure: { class: 'no_usable_work', reason: 'crash', detail: 'ended with status 1' } }
  const world = await play(stageOf('A'), turns(crashed, { write: { 'a.py': 'A=97' } }), { planned: 'plan' })
  assert.deepEqual(resumes(world), ['plan', 'plan'])

  const worse = turns({ write: { 'a.py': 'A=80' } }, { write: { 'a.py': 'A=40' } }, { write: { 'a.py': 'A=97' } })
  const again = await play(stageOf('A'), worse, { planned: 'plan', maxIterations: 3 })
  assert.deepEqual(resumes(again), ['plan', 'talk of s1.i1.b1.fix', 'talk of s1.i1.b1.fix'])
})
