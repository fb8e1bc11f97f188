// A tree whose tests are milder than before: it goes round again while there are rounds, then a person decides.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { play, stageOf } from '../../support/fake-ports.ts'
import { grades, statuses, story } from '../../support/stage-scripts.ts'

const RULES = { verifiesOldTests: true, maxIterations: 2 }

test('a tree that holds with the old tests is committed, and asked about once', async () => {
  const world = await play(stageOf('A'), grades({ A: ['97'] }), RULES)
  assert.deepEqual(story(world).slice(2), ['s1.i1.challenge A', 's1.oldtests1 A', 's1.commit A'])
})

test('without the rule, which old sessions lack, nothing is run with old tests', async () => {
  const world = await play(stageOf('A'), grades({ A: ['97 milder'] }))
  assert.deepEqual(story(world).slice(2), ['s1.i1.challenge A', 's1.commit A'])
})

test('a refuted tree goes round again, and the fixer hears what the old tests said', async () => {
  const world = await play(stageOf('A'), grades({ A: ['97 milder', '97'] }), RULES)
  const again = world.seen.find(({ call }) => call === 's1.i2.b1.fix')
  assert.ok(again?.feedback?.includes('s1.oldtests1'), `${again?.feedback}`)
  assert.deepEqual(statuses(world), { A: 'resolved' })
  assert.deepEqual(
    world.seen.filter(({ kind }) => kind === 'scope'),
    [],
  )
})

for (const { what, table } of [
  { what: 'insists on its tests with another fix', table: ['96 milder', '97 milder'] },
  { what: 'makes the same tree again', table: ['97 milder', '97 milder'] },
]) {
  test(`a fixer that ${what} needs a person, once, and a yes commits it`, async () => {
    const world = await play(stageOf('A'), grades({ A: table }), { ...RULES, maxIterations: 3 })
    assert.equal(world.seen.filter(({ kind }) => kind === 'scope').length, 1)
    assert.deepEqual(statuses(world), { A: 'resolved' })
  })
}

test('a no leaves the issue unresolved, with its reason, and commits the others without it', async () => {
  const script = grades({ A: ['97 milder'], B: ['96'] }, { person: (_, asking) => asking })
  const world = await play(stageOf('AB'), script, { ...RULES, maxIterations: 1 })
  assert.deepEqual(statuses(world), { A: 'failed', B: 'resolved' })
  assert.equal(world.result.outcomes.A?.reason, 'turned down by a person')
  assert.deepEqual(Object.keys(world.commits[0]?.files ?? {}).toSorted(), ['b.py', 'readme.md'])
  assert.equal(world.seen.filter(({ kind }) => kind === 'scope').length, 1)
})

test('a setting that rejects such changes asks nobody', async () => {
  const script = grades({ A: ['97 milder'] }, { rejectsTestChanges: true })
  const world = await play(stageOf('A'), script, { ...RULES, maxIterations: 1 })
  assert.deepEqual(statuses(world), { A: 'failed' })
  assert.deepEqual([world.commits.length, world.seen.filter(({ kind }) => kind === 'scope').length], [0, 0])
  assert.match(world.result.outcomes.A?.reason ?? '', /test_changes/)
})

test('no tree is committed that the old tests refute and nobody allowed, whatever the rounds bring', async () => {
  const words = ['97', '97 milder', '60 milder', '97 broken']
  for (const a of words)
    for (const b of words)
      for (const c of words) {
        const script = grades({ A: [a, b], B: [c, a] }, { person: (_, asking) => asking })
        const world = await play(stageOf('AB'), script, { ...RULES, verifiesFreshCheckout: true })
        for (const { files } of world.commits) assert.ok(!Object.values(files).some((text) => text.includes('milder')))
      }
})
