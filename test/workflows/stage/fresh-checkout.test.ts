// The last verification before a commit, in a fresh checkout: what comes of a tree that passed where it was made, and fails there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { play, stageOf } from '../../support/fake-ports.ts'
import { grades, statuses, story } from '../../support/stage-scripts.ts'

test('what passes is verified once more before it is committed, where nothing but its tree is', async () => {
  const world = await play(stageOf('AB'), grades({ A: ['96'], B: ['97'] }), { verifiesFreshCheckout: true })
  assert.deepEqual(story(world).slice(1), ['s1.i1.verify AB', 's1.i1.challenge AB', 's1.fresh1 AB', 's1.commit AB'])
})

test('where the first look was in a fresh checkout already, it is also the last', async () => {
  const script = grades({ A: ['95'], B: ['96 stale', '97'] }, { freshAtOnce: true })
  const world = await play(stageOf('AB'), script, { verifiesFreshCheckout: true })
  const rounds = ['s1.i1', 's1.i2'].flatMap((round) => [
    `${round}.b1.fix AB`,
    `${round}.verify AB`,
    `${round}.challenge AB`,
  ])
  assert.deepEqual(story(world), [...rounds, 's1.commit AB'])
})

test('without the rule, which old sessions lack, nothing is verified twice', async () => {
  const world = await play(stageOf('A'), grades({ A: ['96 stale'] }))
  assert.deepEqual(story(world).slice(1), ['s1.i1.verify A', 's1.i1.challenge A', 's1.commit A'])
})

test('a tree that fails there goes round again with what was said there, as long as there are rounds', async () => {
  const world = await play(stageOf('A'), grades({ A: ['96 stale', '97'] }), { verifiesFreshCheckout: true })
  const [, , , , again] = world.seen
  assert.deepEqual([again?.call, again?.feedback], ['s1.i2.b1.fix', ['s1.i1.verify', 's1.fresh1', 's1.i1.challenge']])
  assert.deepEqual(story(world).slice(-2), ['s1.fresh2 A', 's1.commit A'])
  assert.deepEqual(statuses(world), { A: 'resolved' })
})

test('who goes on from a tree that failed there is told of that tree last, not of a later attempt that was worse', async () => {
  for (const word of ['stale', 'broken']) {
    const script = grades({ A: [`97 ${word}`, '60 broken', '97'] })
    const world = await play(stageOf('A'), script, { verifiesFreshCheckout: true, maxIterations: 3 })
    const third = world.seen.find(({ call }) => call === 's1.i3.b1.fix')
    assert.deepEqual(third?.picks, [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }])
    const last = word === 'stale' ? ['s1.fresh1', 's1.i1.challenge'] : ['s1.i1.verify', 's1.i1.challenge']
    assert.deepEqual(third?.feedback?.slice(-2), last, word)
    assert.deepEqual(third?.feedback, [...new Set(third?.feedback)])
  }
})

test('when the rounds are over, parts are taken back, lowest score first, until what is left passes there, too', async () => {
  const world = await play(stageOf('ABC'), grades({ A: ['95'], B: ['96 stale'], C: ['97'] }), {
    verifiesFreshCheckout: true,
    maxIterations: 1,
  })
  assert.deepEqual(story(world).slice(3), [
    's1.fresh1 ABC',
    's1.select2.verify BC',
    's1.select2.challenge BC',
    's1.fresh2 BC',
    's1.fresh2.select2.verify C',
    's1.fresh2.select2.challenge C',
    's1.fresh3 C',
    's1.commit2 C',
  ])
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed', C: 'resolved' })
  assert.match(world.result.outcomes.B?.reason ?? '', /^verification failed: in a fresh checkout: broken: b.py/)
})

test('what never passes there ends, and nothing is committed', async () => {
  const world = await play(stageOf('AB'), grades({ A: ['95 stale'], B: ['96 stale'] }), { verifiesFreshCheckout: true })
  assert.deepEqual(world.commits, [])
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed' })
})

test('a branch that is waited for is not a reason to verify again; one that moved is', async () => {
  const branch = [{ checkedOut: '/app' }, { moved: { 'theirs.md': 'x' } }]
  const world = await play(stageOf('A'), grades({ A: ['96'] }, { branch }), { verifiesFreshCheckout: true })
  assert.deepEqual(
    story(world)
      .map((step) => step.trim())
      .slice(3),
    [
      's1.fresh1 A',
      's1.commit A',
      's1.commit.wait',
      's1.commit2 A',
      's1.merge2 A',
      's1.merge2.verify A',
      's1.merge2.challenge A',
      's1.fresh2 A',
      's1.commit3 A',
    ],
  )
})
