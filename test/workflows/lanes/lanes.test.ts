// Stages in lanes, scenario by scenario: who waits for whom, and what becomes of work whose base has moved.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLanes } from '../../support/fake-lanes.ts'
import { type FixerDoes, fileOf, mark, type Script, stageOf } from '../../support/fake-ports.ts'

/** Ends the steps of these stages first, as long as there are any. */
const first =
  (...stages: readonly number[]) =>
  (underway: readonly string[]): number =>
    Math.max(
      underway.findIndex((step) => stages.some((stage) => step.startsWith(`s${stage}.`))),
      0,
    )

function writing(files: Readonly<Record<string, string>>): Script['fixer'] {
  return ({ codes, files: before }): FixerDoes => {
    const paths = codes.map((code) => [code, files[code] ?? fileOf(code)] as const)
    return {
      write: Object.fromEntries(paths.map(([code, path]) => [path, mark(before[path], code, 97)])),
      claims: Object.fromEntries(paths.map(([code, path]) => [code, [path]])),
    }
  }
}

test('three stages in three lanes begin at once, and land one on the other with one more run of the checks each', async () => {
  const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))
  const world = await playLanes(stages, { fixer: writing({}) }, { lanes: 3, rules: { verifiesFreshCheckout: true } })
  assert.deepEqual(world.log.slice(0, 6), [
    'begin 1',
    '> s1.i1.b1.fix',
    'begin 2',
    '> s2.i1.b1.fix',
    'begin 3',
    '> s3.i1.b1.fix',
  ])
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['A', 'B', 'C'],
  )
  const ofThird = world.seen.map(({ call, kind }) => [call, kind] as const).filter(([call]) => call.startsWith('s3'))
  assert.deepEqual(ofThird, [
    ['s3.i1.b1.fix', 'fix'],
    ['s3.i1.verify', 'verify'],
    ['s3.i1.challenge', 'challenge'],
    ['s3.fresh1', 'fresh'],
    ['s3.merge1', 'merge'],
    ['s3.merge1.verify', 'fresh'],
    ['s3.commit2', 'commit'],
  ])
  assert.deepEqual(Object.keys(world.branch).sort(), ['a.py', 'b.py', 'c.py', 'readme.md'])
})

const RIDING = { verifiesFreshCheckout: true, ridesTrains: true }
/** The checks of the first stage to land end last, so that the others wait for their turn meanwhile. */
const landsSlowly = (underway: readonly string[]): number =>
  Math.max(
    underway.findIndex((step) => !step.startsWith('s1.merge') && !step.startsWith('s1.commit')),
    0,
  )

test('stages that wait to land land as one train: one run of the checks, and a commit for each', async () => {
  const stages = ['A', 'B', 'C', 'D'].map((codes) => stageOf(codes))
  const fixer = writing({})
  const world = await playLanes(stages, { fixer }, { lanes: 4, rules: RIDING, choose: landsSlowly })
  const trains = world.seen.filter(({ call }) => /^s\d\.train/.test(call))
  assert.deepEqual(
    trains.map(({ call, codes, verdict }) => [call, codes.join(''), verdict]),
    [['s2.train1', 'BCD', 'passed']],
  )
  assert.deepEqual(
    world.commits.map(({ codes, train }) => [codes.join(''), train?.tree]),
    [
      ['A', undefined],
      ['B', trains[0]?.tree],
      ['C', trains[0]?.tree],
      ['D', trains[0]?.tree],
    ],
  )
  // Nobody challenges again, and nobody is verified alone after that.
  assert.equal(world.seen.filter(({ kind }) => kind === 'challenge').length, 4)
  assert.equal(world.seen.filter(({ call }) => call.endsWith('.verify') && call.includes('merge')).length, 0)
  assert.equal(Object.values(world.outcomes).filter(({ status }) => status === 'resolved').length, 4)
  assert.equal(world.outcomes.C?.commit, 'sha3')
})

test('a train that fails is halved, and only the guilty stage goes round again, with that output', async () => {
  const stages = ['A', 'B', 'C', 'D'].map((codes) => stageOf(codes))
  // D does not go with what A has landed.
  const fixer: Script['fixer'] = ({ codes, iteration, files }) => {
    const [code = ''] = codes
    const word = (code === 'A' || code === 'D') && iteration === 1 ? 'half:x' : ''
    return {
      write: { [fileOf(code)]: mark(files[fileOf(code)], code, 97, word) },
      claims: { [code]: [fileOf(code)] },
    }
  }
  const world = await playLanes(stages, { fixer }, { lanes: 4, rules: RIDING, choose: landsSlowly })
  const trains = world.seen.filter(({ call }) => /^s\d\.train/.test(call))
  assert.deepEqual(
    trains.map(({ call, codes, verdict }) => [call, codes.join(''), verdict]),
    [
      ['s2.train1', 'BCD', 'failed'],
      ['s3.train1', 'CD', 'failed'],
    ],
  )
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['A', 'B', 'C', 'D'],
  )
  const rounds = world.seen
    .filter(({ kind }) => kind === 'fix')
    .map(({ codes, iteration }) => [codes.join(''), iteration])
  assert.deepEqual(rounds.slice(4), [['D', 2]])
  const again = world.seen.findLast(({ kind }) => kind === 'fix')
  assert.ok(
    again?.feedback?.some((call) => /^s4\.merge\d+\.verify$/.test(call)),
    JSON.stringify(again?.feedback),
  )
})

test('stages of a train that change one file without anybody having said so land one by one', async () => {
  const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))
  const files = { B: 'shared.py', C: 'shared.py' }
  const world = await playLanes(stages, { fixer: writing(files) }, { lanes: 3, rules: RIDING, choose: landsSlowly })
  const trains = world.seen.filter(({ call }) => /^s\d\.train/.test(call))
  assert.deepEqual(
    trains.map(({ verdict }) => verdict),
    ['failed'],
  )
  assert.deepEqual(
    world.commits.map(({ codes, train }) => [codes.join(''), train]),
    [
      ['A', undefined],
      ['B', undefined],
      ['C', undefined],
    ],
  )
  // C is another diff now, so it is judged again.
  assert.equal(world.seen.filter(({ kind }) => kind === 'challenge').length, 4)
})

test('with one lane nothing is merged and no stage begins before the one before it is over', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const world = await playLanes(stages, { fixer: writing({}) }, { lanes: 1 })
  assert.ok(world.log.indexOf('end 1') < world.log.indexOf('begin 2'))
  assert.ok(!world.seen.some(({ kind }) => kind === 'merge'))
})

test('while a person is asked about one stage, the others land, and the next one takes the lane that is free', async () => {
  const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))
  const world = await playLanes(stages, { fixer: writing({ A: 'outside/a' }) }, { lanes: 2, choose: first(2, 3) })
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['B', 'C', 'A'],
  )
  assert.ok(world.log.indexOf('end 3') < world.log.indexOf('< s1.i1.b1.fix.scope'))
  assert.equal(world.outcomes.A?.status, 'resolved')
})

test('people are asked one question at a time', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const files = { A: 'outside/a', B: 'outside/b' }
  const world = await playLanes(stages, { fixer: writing(files) }, { lanes: 2 })
  const asked = world.log.filter((line) => line.endsWith('.scope'))
  assert.deepEqual(
    asked,
    ['s1.i1.b1.fix.scope', 's2.i1.b1.fix.scope'].flatMap((step) => [`> ${step}`, `< ${step}`]),
  )
})

test('a provider at its limit is waited for once, and no lane calls it meanwhile', async () => {
  const stages = ['A', 'B', 'C', 'D'].map((codes) => stageOf(codes))
  const limit = { class: 'limit', reason: 'usage_limit', detail: 'usage limit', until: 600_000 } as const
  const fixer: Script['fixer'] = (turn) =>
    turn.call === 's1.i1.b1.fix' || turn.call === 's2.i1.b1.fix' ? { failure: limit } : writing({})(turn)
  const world = await playLanes(stages, { fixer }, { lanes: 3, choose: first(1, 2, 3) })
  assert.equal(world.seen.filter(({ kind }) => kind === 'wait').length, 1)
  const later = await playLanes(
    stages,
    { fixer },
    {
      lanes: 3,
      choose: (all) =>
        Math.max(
          all.findIndex((step) => !step.includes('wait')),
          0,
        ),
    },
  )
  const since = later.log.indexOf('> s1.i1.b1.fix.wait1')
  const until = later.log.indexOf('< s1.i1.b1.fix.wait1')
  assert.ok(later.log.slice(since, until).includes('begin 4'))
  assert.ok(!later.log.slice(since, until).includes('> s4.i1.b1.fix'))
  for (const { outcomes } of [world, later])
    assert.ok(Object.values(outcomes).every(({ status }) => status === 'resolved'))
})

test('an approved stage lets an earlier one that turned out to change its file go first', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = ({ codes }) =>
    codes.includes('A')
      ? { write: { 'a.py': 'A=97', 'b.py': 'A=97' }, claims: { A: ['a.py', 'b.py'] } }
      : { write: { 'b.py': 'B=97' }, claims: { B: ['b.py'] } }
  const afterFix = (underway: readonly string[]) => {
    const fix = underway.indexOf('s1.i1.b1.fix')
    return fix >= 0 ? fix : first(2)(underway)
  }
  const world = await playLanes(stages, { fixer }, { lanes: 2, choose: afterFix })
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['A', 'B'],
  )
})

test('a change of tests that a person has allowed is not asked about again on another base', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = ({ codes: [code = ''] }) => ({
    write: { [fileOf(code)]: mark('', code, 97, code === 'B' ? 'milder' : '') },
  })
  const world = await playLanes(stages, { fixer }, { lanes: 2, rules: { verifiesOldTests: true } })
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['A', 'B'],
  )
  assert.equal(world.seen.filter(({ kind }) => kind === 'scope').length, 1)
})

test('what a challenger had approved before it ran out of credit lands on another base, where its verdict stands', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const failure = { class: 'billing', detail: 'no credit' } as const
  const challenger: Script['challenger'] = (_turn, codes) =>
    codes.includes('B') ? { failure, reached: ['B'] } : undefined
  const world = await playLanes(stages, { fixer: writing({}), challenger }, { lanes: 2, choose: first(1) })
  assert.deepEqual(
    world.commits.map(({ codes, head }) => [codes.join(''), head]),
    [
      ['A', 'base'],
      ['B', 'sha1'],
    ],
  )
  assert.equal(world.outcomes.B?.status, 'resolved')
  assert.deepEqual(world.end, { kind: 'over', stop: failure })
})

test('what a challenger without credit would have to judge again is not committed, and stays open', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const failure = { class: 'billing', detail: 'no credit' } as const
  let asked = 0
  const challenger: Script['challenger'] = () => {
    asked += 1
    return asked > 2 ? { failure } : undefined
  }
  const fixer = writing({ A: 'shared.py', B: 'shared.py' })
  const world = await playLanes(stages, { fixer, challenger }, { lanes: 2 })
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['A'],
  )
  assert.deepEqual([world.outcomes.B?.status, world.outcomes.B?.failure], ['open', 'billing'])
})

test('two lanes that changed the same file both land: the later one is judged again as the merged tree', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const world = await playLanes(stages, { fixer: writing({ A: 'shared.py', B: 'shared.py' }) }, { lanes: 2 })
  assert.equal(world.branch['shared.py'], 'A=97 B=97')
  const judged = world.seen.filter(({ call }) => call.startsWith('s2.merge1')).map(({ kind }) => kind)
  assert.deepEqual(judged, ['merge', 'verify', 'challenge'])
  assert.equal(world.commits[1]?.challenge, 's2.merge1.challenge')
})

test('what conflicts with another lane goes another round on the new base, though its iterations are used up', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const files = { A: 'common.py', B: 'common.py' }
  const world = await playLanes(stages, { fixer: writing(files) }, { lanes: 2, rules: { maxIterations: 1 } })
  assert.equal(world.branch['common.py'], 'A=97 B=97')
  const again = world.seen.find(({ call }) => call === 's2.i2.b1.fix')
  assert.deepEqual([again?.head, again?.picks], ['sha1', []])
  assert.deepEqual([world.outcomes.B?.status, world.outcomes.B?.iterations], ['resolved', 2])
})

test('what the checks refuse beside another lane goes another round, with their output', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = ({ codes: [code = ''], iteration }) => ({
    write: { [fileOf(code)]: mark('', code, 97, iteration === 1 ? 'half:x' : '') },
  })
  const world = await playLanes(stages, { fixer }, { lanes: 2 })
  assert.deepEqual(world.branch, { 'readme.md': 'hello', 'a.py': 'A=97 half:x', 'b.py': 'B=97' })
  const again = world.seen.find(({ call }) => call === 's2.i2.b1.fix')
  assert.ok(again?.feedback?.includes('s2.merge1.verify'))
  assert.deepEqual(again?.picks, [{ snapshot: 's2.merge1', codes: ['B'] }])
})

test('only what had passed goes another round on the new base', async () => {
  const stages = ['A', 'BC'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = ({ codes, files }) => ({
    write: {
      ...(codes.includes('A') ? { 'common.py': mark(files['common.py'], 'A', 97) } : {}),
      ...(codes.includes('B') ? { 'common.py': mark(files['common.py'], 'B', 97) } : {}),
      ...(codes.includes('C') ? { 'c.py': 'C=50' } : {}),
    },
    claims: { A: ['common.py'], B: ['common.py'] },
  })
  const world = await playLanes(stages, { fixer }, { lanes: 2, rules: { maxIterations: 1 } })
  assert.deepEqual(world.seen.find(({ call }) => call === 's2.i2.b1.fix')?.codes, ['B'])
  assert.equal(world.outcomes.B?.status, 'resolved')
  assert.deepEqual([world.outcomes.C?.status, world.outcomes.C?.reason], ['failed', 'scored 50, below 90'])
})

test('a person commits on the branch while lanes are at work: nothing of theirs is lost, and all land on it', async () => {
  const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))
  const script: Script = { fixer: writing({}), branch: [{ moved: { 'theirs.md': 'x' } }] }
  const world = await playLanes(stages, script, { lanes: 3 })
  assert.deepEqual(Object.keys(world.branch).sort(), ['a.py', 'b.py', 'c.py', 'readme.md', 'theirs.md'])
  assert.equal(world.commits.length, 3)
})

test('after a stop no stage begins, and those at work come to their own end', async () => {
  const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = (turn) =>
    turn.codes.includes('A') ? { failure: { class: 'billing', detail: 'no credit' } } : writing({})(turn)
  const world = await playLanes(stages, { fixer }, { lanes: 2 })
  assert.deepEqual(world.end, { kind: 'over', stop: { class: 'billing', detail: 'no credit' } })
  assert.deepEqual(
    world.commits.map(({ codes }) => codes.join('')),
    ['B'],
  )
  assert.equal(world.outcomes.C, undefined)
})

test('a run that has to rest ends what it began, and names what is over', async () => {
  const stages = ['A', 'B', 'C', 'D'].map((codes) => stageOf(codes))
  const world = await playLanes(stages, { fixer: writing({}) }, { lanes: 2, sharing: [['A', 'B']], restsAfter: 1 })
  assert.deepEqual(world.end, { kind: 'rested', head: 'sha2', done: [0, 2], sharing: [['A', 'B']] })
  assert.deepEqual(
    world.log.filter((line) => line.startsWith('begin')),
    ['begin 1', 'begin 3'],
  )
})

test('a run that has to rest tells the next one which stages turned out to share a file', async () => {
  const stages = ['A', 'B', 'C'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = ({ codes }) => ({
    write: codes.includes('A') ? { 'a.py': 'A=97', 'c.py': 'A=97' } : { 'b.py': 'B=97' },
    claims: { A: ['a.py', 'c.py'] },
  })
  const { end } = await playLanes(stages, { fixer }, { lanes: 2, restsAfter: 1 })
  assert.ok(end.kind === 'rested')
  assert.deepEqual(end.sharing, [['A', 'C']])
})

test('what a stage throws is thrown once the others are over', async () => {
  const stages = ['A', 'B'].map((codes) => stageOf(codes))
  const fixer: Script['fixer'] = (turn) => {
    if (turn.codes.includes('A')) throw new Error('no space left')
    return writing({})(turn)
  }
  const ended: string[] = []
  const choose = (underway: readonly string[]) => {
    ended.push(underway[0] ?? '')
    return 0
  }
  await assert.rejects(playLanes(stages, { fixer }, { lanes: 2, choose }), /no space left/)
  assert.equal(ended.at(-1), 's2.commit')
})
