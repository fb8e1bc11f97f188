// What becomes of a tree that fails the verification: who is found guilty, who is kept, and who is asked about it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StageRules } from '../../../src/domain/stage/attempt.ts'
import { type FixerDoes, play, type Script, stageOf, type World } from '../../support/fake-ports.ts'
import { grades, statuses } from '../../support/stage-scripts.ts'

const RULES: Partial<StageRules> = { findsCulprits: true, skipsFailedChallenges: true, boundsExtraRound: true }
const ONCE = { ...RULES, maxIterations: 1 }

function turns(...does: readonly FixerDoes[]): Script['fixer'] {
  return ({ turn }) => does[turn] ?? {}
}

function story({ seen }: World): string[] {
  return seen.map(({ call, codes }) => (codes.length > 0 ? `${call} ${codes.join('')}` : call))
}

const reason = ({ result }: World, code: string): string => result.outcomes[code]?.reason ?? ''
const runs = ({ seen }: World): number => seen.filter(({ kind }) => kind === 'verify').length

test('culprits: of three issues that all score 96 the one that breaks the checks is left out, and the two others are committed', async () => {
  for (const guilty of 'ABC') {
    const table = Object.fromEntries([...'ABC'].map((code) => [code, [code === guilty ? '96 broken' : '96']]))
    const world = await play(stageOf('ABC'), grades(table), ONCE)
    const others = 'ABC'.replace(guilty, '')
    assert.deepEqual(world.commits[0]?.codes.join(''), others)
    assert.match(reason(world, guilty), /^verification failed: broken: .\.py; without it the rest passes$/)
    assert.deepEqual(
      world.seen.filter(({ kind }) => kind === 'challenge').map(({ codes }) => codes.join('')),
      ['ABC', others],
      'trees that are only tried are not challenged',
    )
    assert.ok(runs(world) <= 5, story(world).join('\n'))
  }
})

test('culprits: a failure that names the file of one issue alone is believed first, which costs one run', async () => {
  const table = Object.fromEntries([...'ABCDEFGH'].map((code) => [code, [code === 'F' ? '99 broken' : '96']]))
  const world = await play(stageOf('ABCDEFGH'), grades(table, { namesFiles: true }), ONCE)
  assert.deepEqual(story(world).slice(3), [
    's1.select2.verify ABCDEGH',
    's1.select2.challenge ABCDEGH',
    's1.commit ABCDEGH',
  ])
  assert.equal(reason(world, 'F'), 'verification failed: broken: f.py; without it the rest passes')
})

test('culprits: of two issues that only fail together the better one stays, and the reason names it', async () => {
  const world = await play(stageOf('ABC'), grades({ A: ['93 half:x'], B: ['97'], C: ['96 half:x'] }), ONCE)
  assert.deepEqual(statuses(world), { A: 'failed', B: 'resolved', C: 'resolved' })
  assert.equal(reason(world, 'A'), 'verification failed: broken: a.py, c.py, but only together with C, which is kept')
})

test('culprits: issues that share a file are found guilty together, and each reason names the other', async () => {
  const write = { 'shared.py': 'A=96 B=97 broken', 'c.py': 'C=96' }
  const claims = { A: ['shared.py'], B: ['shared.py'] }
  const world = await play(stageOf('ABC'), { fixer: turns({ write, claims }) }, ONCE)
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed', C: 'resolved' })
  assert.equal(
    reason(world, 'A'),
    'verification failed: broken: shared.py; without them the rest passes; failed together with B: could not be separated because they change the same lines',
  )
})

test('culprits: when nothing passes, nothing is committed and nobody is said to be the one cause', async () => {
  const world = await play(stageOf('AB'), grades({ A: ['96 broken'], B: ['97 broken'] }), ONCE)
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed' })
  assert.equal(reason(world, 'A'), 'verification failed: broken: a.py')
})

test('culprits: where all has to pass and the base was red, no part is tried: none could pass', async () => {
  const world = await play(stageOf('ABC'), grades({ A: ['96'], B: ['97'], C: ['98'] }, { isRedBefore: true }), {
    ...ONCE,
    challenge: false,
  })
  assert.deepEqual([runs(world), statuses(world)], [1, { A: 'failed', B: 'failed', C: 'failed' }])
  assert.match(reason(world, 'A'), /^verification failed/)
})

test('culprits: where all has to pass, parts without the one that mends a red base are no culprits', async () => {
  const scores = { A: ['98'], B: ['97 broken'], C: ['96'], D: ['95'] }
  const world = await play(stageOf('ABCD'), grades(scores, { mendedBy: 'D' }), { ...ONCE, challenge: false })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed', C: 'resolved', D: 'resolved' })
  assert.equal(reason(world, 'B'), 'verification failed: broken: b.py; without it the rest passes')
  assert.equal(runs(world), 5)
})

test('culprits: where all has to pass, and the part that mends a red base is a culprit, nothing is committed', async () => {
  const scores = { A: ['98'], B: ['97'], C: ['96 broken'] }
  const world = await play(stageOf('ABC'), grades(scores, { mendedBy: 'C' }), { ...ONCE, challenge: false })
  assert.deepEqual(statuses(world), { A: 'failed', B: 'failed', C: 'failed' })
  assert.equal(reason(world, 'C'), 'verification failed: broken: c.py')
})

test('culprits: who fails only in a fresh checkout is searched for in fresh checkouts', async () => {
  const world = await play(stageOf('ABC'), grades({ A: ['95'], B: ['96 stale'], C: ['97'] }), {
    ...ONCE,
    verifiesFreshCheckout: true,
  })
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed', C: 'resolved' })
  assert.equal(reason(world, 'B'), 'verification failed: in a fresh checkout: broken: b.py; without it the rest passes')
  assert.equal(story(world).at(-1), 's1.commit AC')
})

test('culprits: a person’s commit that breaks one of them costs only that one', async () => {
  const branch = [{ moved: { 'theirs.md': 'half:x' } }]
  const world = await play(stageOf('AB'), grades({ A: ['97'], B: ['98 half:x'] }, { branch }), ONCE)
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'failed' })
})

test('culprits: a limit of the session ends the search, and what had passed before is still tried', async () => {
  const world = await play(
    stageOf('AB'),
    {
      fixer: turns(
        { write: { 'a.py': 'A=96', 'b.py': 'B=60' } },
        {
          write: { 'b.py': 'B=96 broken' },
          failure: { class: 'budget', limit: 'session_seconds', detail: 'too late' },
        },
      ),
    },
    RULES,
  )
  assert.deepEqual(statuses(world), { A: 'resolved', B: 'open' })
})

test('failed checks: a round’s tree that fails them is not challenged, and the next fixer gets what they said alone', async () => {
  const world = await play(stageOf('AB'), grades({ A: ['96 broken', '96'], B: ['97'] }), RULES)
  assert.deepEqual(story(world), [
    's1.i1.b1.fix AB',
    's1.i1.verify AB',
    's1.i2.b1.fix AB',
    's1.i2.verify AB',
    's1.i2.challenge AB',
    's1.commit AB',
  ])
  assert.deepEqual(world.seen[2]?.feedback, ['s1.i1.verify'])
})

test('failed checks: the last round’s tree is challenged where its scores choose what is kept, and only there', async () => {
  const two = await play(stageOf('AB'), grades({ A: ['96 broken'], B: ['97'] }), RULES)
  assert.deepEqual(story(two).slice(2), [
    's1.i2.b1.fix AB',
    's1.i1.challenge AB',
    's1.select2.verify B',
    's1.select3.verify A',
    's1.select2.challenge B',
    's1.commit B',
  ])
  const alone = await play(stageOf('A'), grades({ A: ['96 broken'] }), RULES)
  assert.ok(!alone.seen.some(({ kind }) => kind === 'challenge'), 'of one issue nothing could be kept')
  assert.deepEqual(statuses(alone), { A: 'failed' })
})

test('failed checks: a false-positive claim is put to the challenger all the same', async () => {
  const challenger = () => ({ agrees: ['B'] })
  const world = await play(
    stageOf('AB'),
    { fixer: turns({ write: { 'a.py': 'A=96 broken' }, denies: { B: 'it is handled' } }), challenger },
    ONCE,
  )
  assert.deepEqual(statuses(world), { A: 'failed', B: 'ignored' })
})

test('extra round: it counts against max_iterations, issue by issue', async () => {
  const shared = (text: string) => ({ write: { 'shared.py': text }, claims: { A: ['shared.py'], B: ['shared.py'] } })
  const both = await play(
    stageOf('AB'),
    { fixer: turns(shared('A=92 B=50'), shared('A=94 B=50'), { write: {} }) },
    RULES,
  )
  assert.deepEqual(
    both.seen
      .filter(({ kind }) => kind === 'fix')
      .map(({ call, codes, iteration }) => `${call} ${codes.join('')} ${iteration}`),
    ['s1.i1.b1.fix AB 1', 's1.i2.b1.fix B 2', 's1.extra.b1.fix A 2'],
  )
  const twice = await play(
    stageOf('AB'),
    { fixer: turns({ ...shared('A=85 B=50') }, { ...shared('A=96 B=50') }, { write: { 'a.py': 'A=99' } }) },
    RULES,
  )
  assert.equal(twice.seen.filter(({ kind }) => kind === 'fix').length, 2, 'both had their two attempts')
  assert.match(reason(twice, 'A'), /^taken back together with B/)
})
