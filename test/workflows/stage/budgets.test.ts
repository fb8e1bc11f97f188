// What a stage does when a budget is spent: what passed is committed, what an issue has by then is still judged, others go on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SESSION_TIME_OVER, stripAdvice } from '../../../src/domain/budget/limits.ts'
import type { CallFailure } from '../../../src/domain/session/failure.ts'
import { type FixerDoes, fileOf, mark, play, type Script, stageOf, type World } from '../../support/fake-ports.ts'

const SESSION: CallFailure = { class: 'budget', limit: 'session_usd', detail: 'the session has spent 5.02 of 5.00 USD' }
const ISSUE: CallFailure = { class: 'budget', limit: 'issue_usd', detail: 'A has spent 1.01 of 1.00 USD' }
const SPENT = { A: ISSUE.detail }
const LATE: CallFailure = { class: 'budget', ...SESSION_TIME_OVER }

/** What the fixer's calls leave in the files of the issues, one after the other. */
function fixes(
  ...does: readonly (Partial<FixerDoes> & { readonly scores?: Readonly<Record<string, number>> })[]
): Script['fixer'] {
  return ({ turn, files }) => {
    const { scores = {}, ...more } = does[turn] ?? {}
    const write = Object.entries(scores).map(([code, score]) => [fileOf(code), mark(files[fileOf(code)], code, score)])
    return { write: Object.fromEntries(write), ...more }
  }
}

function story({ seen }: World): string[] {
  return seen.map(({ call, codes }) => (codes.length > 0 ? `${call} ${codes.join('')}` : call))
}

function outcomes({ result }: World): unknown[] {
  return Object.entries(result.outcomes).map(([code, { status, failure }]) => [code, status, failure])
}

test('a session’s limit is reached in a later round: what had passed is judged without the rest, and committed; the rest is open with that reason', async () => {
  for (const failure of [SESSION, LATE]) {
    const world = await play(stageOf('AB'), { fixer: fixes({ scores: { A: 97, B: 60 } }, { failure }) })
    assert.deepEqual(story(world).slice(3), [
      's1.i2.b1.fix B',
      's1.select1.verify A',
      's1.select1.challenge A',
      's1.commit A',
    ])
    assert.deepEqual(outcomes(world), [
      ['A', 'resolved', undefined],
      ['B', 'open', 'budget'],
    ])
    assert.equal(world.result.outcomes.B?.reason, stripAdvice(failure.detail))
    assert.equal(world.result.stop?.detail, failure.detail)
  }
})

test('a session’s limit keeps the challenger from judging a later round: what had passed before is judged and committed all the same', async () => {
  const script: Script = {
    fixer: fixes({ scores: { A: 97, B: 60 } }, { scores: { B: 97 } }),
    challenger: (turn) => (turn === 1 ? { failure: SESSION } : {}),
  }
  const world = await play(stageOf('AB'), script)
  assert.deepEqual(story(world).slice(-3), ['s1.select1.verify A', 's1.select1.challenge A', 's1.commit A'])
  assert.equal(world.result.stop?.detail, SESSION.detail)
})

test('what had passed is all that is judged after a session’s limit: parts that never did are left out first', async () => {
  const fixer: Script['fixer'] = fixes(
    { scores: { A: 97 } },
    { write: { [fileOf('B')]: 'B=96 broken' } },
    { failure: SESSION },
  )
  const world = await play(stageOf('AB'), { fixer }, { maxIterations: 3 })
  assert.deepEqual(story(world).slice(6), ['s1.i3.b1.fix AB', 's1.commit A'])
  const twice: Script['fixer'] = fixes(
    { scores: { A: 97, C: 60 } },
    { write: { [fileOf('B')]: 'B=96 broken' } },
    { failure: LATE },
  )
  const parts = await play(stageOf('ABC'), { fixer: twice }, { maxIterations: 3 })
  assert.deepEqual(story(parts).slice(-3), ['s1.select2.verify A', 's1.select2.challenge A', 's1.commit A'])
  assert.ok(!story(parts).includes('s1.select1.verify AB'), 'B never passed')
})

test('after a session’s limit each part that is taken back costs one more look at what had passed, and no fixer is asked', async () => {
  const world = await play(stageOf('ABCD'), {
    fixer: fixes({ scores: { A: 97, B: 97, C: 97, D: 60 } }, { failure: SESSION }),
    challenger: (turn) => (turn === 1 ? { misses: ['C'] } : {}),
  })
  assert.deepEqual(story(world).slice(4), [
    's1.select1.verify ABC',
    's1.select1.challenge ABC',
    's1.select2.verify AB',
    's1.select2.challenge AB',
    's1.commit AB',
  ])
})

test('a branch that moved after a session’s limit: what had passed is judged once more on the new head', async () => {
  for (const failure of [SESSION, LATE]) {
    const fixer = fixes({ scores: { A: 97, B: 60 } }, { failure })
    const world = await play(stageOf('AB'), { fixer, branch: [{ moved: { 'theirs.md': 'x' } }] })
    assert.deepEqual(story(world).slice(-3), ['s1.merge1.verify A', 's1.merge1.challenge A', 's1.commit2 A'])
  }
})

test('where what had passed can’t be judged any more, nobody says that it is committed', async () => {
  const refused: CallFailure = { class: 'access', detail: 'the challenger’s key was refused' }
  const fixer = fixes({ scores: { A: 97, B: 60 } }, { failure: LATE })
  const challenger = (turn: number) => (turn === 1 ? { failure: refused } : {})
  const { result, commits } = await play(stageOf('AB'), { fixer, challenger })
  assert.equal(commits.length, 0)
  assert.equal(result.stop?.class, 'budget')
  const over = stripAdvice(SESSION_TIME_OVER.detail)
  const why = `${over}; ${refused.detail}`
  const advice = 'what had passed could not be judged without the rest, so not all of it is committed'
  assert.equal(result.stop?.detail, `${why}: ${advice}; the same command again goes on from what is`)
  assert.deepEqual([result.outcomes.A?.reason, result.outcomes.A?.score], [why, 97])

  const limit: CallFailure = { class: 'limit', reason: 'usage_limit', until: 3_600_000, detail: 'usage limit' }
  const late = await play(
    stageOf('AB'),
    {
      fixer: fixes({ scores: { A: 97, B: 60 } }),
      challenger: (turn) => (turn === 1 ? { failure: limit } : {}),
      endsAt: 1,
    },
    { maxIterations: 1 },
  )
  assert.equal(
    late.result.stop?.detail,
    `usage limit; by then ${over}: ${advice}; the same command again goes on from what is`,
  )
})

test('a session’s budget is spent before the challenger was asked: nothing of it is committed', async () => {
  const world = await play(stageOf('A'), {
    fixer: fixes({ scores: { A: 97 } }),
    challenger: () => ({ failure: SESSION }),
  })
  assert.equal(world.commits.length, 0)
  assert.deepEqual(outcomes(world), [['A', 'open', 'budget']])
})

test('a session’s budget is spent while the challenger is asked: what it had said by then stands, and what passed by that is judged by itself', async () => {
  const fixer: Script['fixer'] = ({ files }) => ({
    write: { [fileOf('A')]: mark(files[fileOf('A')], 'A', 97), [fileOf('B')]: mark(files[fileOf('B')], 'B', 97) },
    denies: { C: 'it is handled in line 3' },
  })
  const challenger: Script['challenger'] = (turn) =>
    turn === 0 ? { failure: SESSION, reached: ['A', 'C'], agrees: ['C'] } : {}
  const world = await play(stageOf('ABC'), { fixer, challenger })
  assert.deepEqual(story(world).slice(3), ['s1.select1.verify A', 's1.select1.challenge A', 's1.commit A'])
  assert.deepEqual(outcomes(world), [
    ['A', 'resolved', undefined],
    ['B', 'open', 'budget'],
    ['C', 'ignored', undefined],
  ])
  assert.deepEqual([world.result.outcomes.A?.score, world.result.outcomes.B?.score], [97, undefined])
})

test('without a challenger the gates cost nothing: what a call made before its budget ended it is judged and committed', async () => {
  const stage = stageOf('A', 'B')
  const fixer = fixes({ scores: { A: 97 }, failure: SESSION })
  const world = await play(stage, { fixer }, { challenge: false })
  assert.deepEqual(story(world), ['s1.i1.b1.fix A', 's1.i1.verify A', 's1.commit A'], 'no further call')
  assert.deepEqual(outcomes(world), [
    ['A', 'resolved', undefined],
    ['B', 'open', 'budget'],
  ])
  const late = { ...SESSION, limit: 'session_seconds' } as const
  const outOfTime = await play(stage, { fixer: fixes({ scores: { A: 97 }, failure: late }) }, { challenge: false })
  assert.deepEqual(story(outOfTime), ['s1.i1.b1.fix A'], 'time that is over is over for the gates, too')
})

test('an issue that has spent its budget is judged with what it has, gets no further round, and holds nobody up', async () => {
  const world = await play(stageOf('A', 'B'), {
    fixer: fixes({ scores: { A: 60 }, failure: ISSUE, spent: SPENT }, { scores: { B: 70 } }, { scores: { B: 97 } }),
  })
  assert.deepEqual(story(world).slice(0, 6), [
    's1.i1.b1.fix A',
    's1.i1.b2.fix B',
    's1.i1.verify AB',
    's1.i1.challenge AB',
    's1.i2.b2.fix B',
    's1.i2.verify B',
  ])
  assert.deepEqual(outcomes(world), [
    ['A', 'open', 'budget'],
    ['B', 'resolved', undefined],
  ])
  assert.equal(world.result.outcomes.A?.reason, ISSUE.detail)
  assert.equal(world.result.stop, undefined, 'the session goes on')
})

test('a call that is ended by the budget of one of its issues is none of the others’ doing: they are asked about again without it, in the same round', async () => {
  const both = { B: 'B has spent 1.02 of 1.00 USD' }
  const script: Script = {
    fixer: fixes(
      { scores: { A: 60 }, failure: ISSUE, spent: SPENT },
      { failure: ISSUE, spent: both },
      { scores: { C: 97 } },
    ),
  }
  const world = await play(stageOf('ABC', 'D'), script, { maxIterations: 1 })
  assert.deepEqual(story(world).slice(0, 5), [
    's1.i1.b1.fix ABC',
    's1.i1.b1.fix.rest BC',
    's1.i1.b1.fix.rest.rest C',
    's1.i1.b2.fix D',
    's1.i1.verify AC',
  ])
  assert.deepEqual(world.seen[2]?.picks, [{ snapshot: 's1.i1.b1.fix', codes: ['A'] }], 'what the call left is not lost')
  assert.deepEqual(outcomes(world), [
    ['A', 'open', 'budget'],
    ['B', 'open', 'budget'],
    ['C', 'resolved', undefined],
    ['D', 'failed', 'no_usable_work'],
  ])
  assert.equal(world.result.outcomes.C?.iterations, 1, 'nor has it cost them a round')
  assert.equal(world.result.outcomes.D?.reason, 'no changes applied')
})

test('a call that its budget ended, and nobody knows whose, is asked again for nobody', async () => {
  const script = { fixer: fixes({ failure: ISSUE, spent: {} }) }
  const world = await play(stageOf('AB'), script, { maxIterations: 1 })
  assert.deepEqual(story(world), ['s1.i1.b1.fix AB'])
})

test('an issue that has spent its budget and passes is committed all the same', async () => {
  const fixer = fixes({ scores: { A: 97 }, failure: ISSUE, spent: SPENT })
  assert.deepEqual(outcomes(await play(stageOf('A'), { fixer })), [['A', 'resolved', undefined]])
})

test('the challenger’s part of it counts: it may be what ends an issue', async () => {
  const world = await play(stageOf('A'), {
    fixer: fixes({ scores: { A: 60 } }, { scores: { A: 97 } }),
    challenger: () => ({ spent: SPENT }),
  })
  assert.equal(world.seen.filter(({ kind }) => kind === 'fix').length, 1)
  assert.deepEqual(outcomes(world), [['A', 'open', 'budget']])
})

test('a provider that serves again only after the session’s time is not waited for', async () => {
  const limit: CallFailure = { class: 'limit', reason: 'usage_limit', until: 3_600_000, detail: 'usage limit' }
  const wait = (endsAt: number) =>
    play(stageOf('A'), { fixer: fixes({ failure: limit }, { scores: { A: 97 } }), endsAt })
  const late = await wait(3_000_000)
  assert.deepEqual(outcomes(late), [['A', 'open', 'budget']])
  assert.match(late.result.stop?.detail ?? '', /^usage limit; by then the session's time is over/)
  assert.deepEqual(outcomes(await wait(4_000_000)), [['A', 'resolved', undefined]])
})

test('a call that used up the share of its lane goes on with the next share, at the cost of no iteration', async () => {
  const share: CallFailure = { class: 'budget', isLaneShare: true, detail: 'Reached maximum budget ($0.5)' }
  const world = await play(
    stageOf('A'),
    {
      fixer: fixes({ failure: share }, { scores: { A: 97 } }),
      challenger: (turn) => (turn === 0 ? { failure: share } : {}),
    },
    { maxIterations: 1 },
  )
  assert.deepEqual(outcomes(world), [['A', 'resolved', undefined]])
  assert.equal(world.result.stop, undefined)
  assert.equal(world.seen.filter(({ kind }) => kind === 'wait').length, 0)
})
