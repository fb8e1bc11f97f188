// What holds for stages in lanes whatever they take, change and are told: random plans, verdicts, delays, overlaps, answers, limits,
// ends of credit, runs that take over from each other, and a branch that somebody has checked out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shareFile } from '../../../src/domain/lanes/choose-stages.ts'
import type { CallFailure } from '../../../src/domain/session/failure.ts'
import { parseStepId } from '../../../src/domain/session/step-id.ts'
import type { StageRules } from '../../../src/domain/stage/attempt.ts'
import { type LanesWorld, playLanes } from '../../support/fake-lanes.ts'
import {
  describeChanges,
  differing,
  type Files,
  fileOf,
  mark,
  type Script,
  stageOf,
  wordsOf,
} from '../../support/fake-ports.ts'

const ALL = 'ABCDEF'
const PLANS = [
  ['A', 'B'],
  ['A', 'B', 'C'],
  ['AB', 'CD', 'EF'],
  ['A', 'B', 'C', 'D', 'E', 'F'],
  ['AB', 'C', 'D', 'E'],
  ['ABC', 'D', 'EF'],
] as const

const TODAY: Partial<StageRules> = {
  findsCulprits: true,
  skipsFailedChallenges: true,
  boundsExtraRound: true,
  verifiesOldTests: true,
  ridesTrains: true,
}

/** What a call does for an issue. A neighbour is the next issue, often one of another stage. */
function deedOf(where: readonly string[], words: readonly string[], fails: readonly string[]) {
  return fc.record({
    score: fc.constantFrom(60, 90, 95, 97, 97, 97, 100),
    where: fc.constantFrom(...where),
    word: fc.constantFrom(...words),
    fails: fc.constantFrom('', '', '', '', '', ...fails),
  })
}
type Deed = ReturnType<ReturnType<typeof deedOf>['generate']>['value']

/** `share`: that of its lane. */
const FAILS = ['limit', 'crash', 'share']
const APART = deedOf(['own', 'own', 'own', 'nothing'], ['', '', '', '', 'broken', 'stale', '!', 'milder'], FAILS)
const ANYWHERE = deedOf(
  ['own', 'own', 'own', 'neighbour', 'shared.py', 'common.py', 'twin', 'twin', 'outside/x', 'protected/x', 'nothing'],
  ['', '', '', '', '', 'broken', 'half:x', 'half:x', '!', 'milder'],
  [...FAILS, ...FAILS, 'no credit', 'spent'],
)

/** What the challenger's calls come to, one after the other. `''`: a verdict. */
const HEARD = ['', '', '', '', 'misses', 'limit', 'no credit', 'spent'] as const

const STOPS: Readonly<Record<string, CallFailure>> = {
  'no credit': { class: 'billing', detail: 'no credit' },
  spent: { class: 'budget', limit: 'session_usd', detail: 'spent' },
}

function playOf(deed: fc.Arbitrary<Deed>) {
  return fc.record({
    heard: deed === APART ? fc.constant([]) : fc.array(fc.constantFrom(...HEARD), { maxLength: 12 }),
    restsAfter: fc.constantFrom(undefined, 1, 2),
    timesCheckedOut: fc.nat(2),
    plan: fc.constantFrom(...PLANS),
    lanes: fc.integer({ min: 2, max: 4 }),
    /** For each issue what its first, second, … call does. */
    deeds: fc.array(fc.array(deed, { minLength: 2, maxLength: 4 }), { minLength: 6, maxLength: 6 }),
    delays: fc.array(fc.nat(7), { minLength: 1, maxLength: 60 }),
    twins: deed === APART ? fc.constant<string[]>([]) : fc.subarray([...ALL], { maxLength: 4 }),
    isStrictPerson: fc.boolean(),
    theirs:
      deed === APART
        ? fc.constant(undefined)
        : fc.constantFrom(undefined, undefined, { 'theirs.md': 'x' }, { 'a.py': 'theirs' }, { 'theirs.md': 'half:x' }),
    rules: fc.constantFrom<Partial<StageRules>>(
      {},
      { maxIterations: 1 },
      { maxIterations: 3 },
      { challenge: false },
      { verify: false },
      { verifiesFreshCheckout: true, provesFixes: true },
      { requiresWholeDiffScore: true },
    ),
  })
}
type Play = ReturnType<ReturnType<typeof playOf>['generate']>['value']

const OVERLOADED: CallFailure = { class: 'limit', reason: 'overloaded', detail: 'overloaded' }

function scriptOf({ deeds, heard, timesCheckedOut, twins, isStrictPerson, theirs, rules }: Play): Script {
  const deedFor = (code: string, iteration: number): Deed => {
    const own = deeds[ALL.indexOf(code)]!
    return own[(iteration - 1) % own.length]!
  }
  const pathOf = (code: string, { where }: Deed): string => {
    if (where === 'own') return twins.includes(code) ? 'twin.py' : fileOf(code)
    if (where === 'twin') return twins.includes(code) ? 'twin.py' : fileOf(code)
    if (where === 'neighbour') return fileOf(ALL[(ALL.indexOf(code) + 1) % ALL.length]!)
    return where
  }
  return {
    person: (_, asking) => (isStrictPerson ? asking : []),
    branch: [
      ...Array.from({ length: timesCheckedOut }, () => ({ checkedOut: '/elsewhere' })),
      ...(theirs ? [{ moved: theirs }] : []),
    ],
    challenger: (turn, codes) => {
      const comes = heard[turn] ?? ''
      if (comes === 'limit') return { failure: OVERLOADED }
      if (comes === 'misses') return { misses: codes.slice(0, 1) }
      const failure = STOPS[comes]
      return failure && { failure, reached: codes.slice(0, 1) }
    },
    isUnchallenged: rules.challenge === false,
    fixer: ({ call, codes, iteration, files }) => {
      const write: Record<string, string | undefined> = {}
      const claims: Record<string, string[]> = {}
      const isRetry = /\.w\d+$/.test(call)
      const fails = codes.map((code) => deedFor(code, iteration).fails).find(Boolean) ?? ''
      const stop = STOPS[fails]
      if (stop) return { failure: stop }
      if (fails === 'limit' && !isRetry) return { failure: OVERLOADED }
      if (fails === 'share' && !isRetry)
        return { failure: { class: 'budget', detail: 'the share is spent', isLaneShare: true } }
      for (const code of codes) {
        const deed = deedFor(code, iteration)
        if (deed.where === 'nothing') continue
        const path = pathOf(code, deed)
        write[path] = mark(write[path] ?? files[path], code, deed.score, deed.word === '!' ? `${code}!` : deed.word)
        claims[code] = [path]
      }
      const crash = { class: 'no_usable_work', reason: 'crash', detail: 'crashed' } as const
      return fails === 'crash' ? { write, claims, failure: crash } : { write, claims }
    },
  }
}

async function playPlan(made: Play, lanes = made.lanes): Promise<LanesWorld> {
  const { plan, delays, twins, rules, restsAfter } = made
  let step = 0
  return await playLanes(
    plan.map((codes) => stageOf(codes)),
    scriptOf(made),
    {
      lanes,
      restsAfter,
      goesOn: true,
      sharing: twins.length > 1 ? [twins] : [],
      rules: { ...TODAY, ...rules },
      choose: () => delays[step++ % delays.length]!,
    },
  )
}

function holds(
  title: string,
  deed: fc.Arbitrary<Deed>,
  check: (world: LanesWorld, made: Play) => void | Promise<void>,
) {
  test(title, async () => {
    const property = fc.asyncProperty(playOf(deed), async (made) => await check(await playPlan(made), made))
    await fc.assert(property, { ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}), numRuns: 200 })
  })
}

holds(
  'where nothing overlaps, the same issues are resolved, in as many rounds, as with one lane',
  APART,
  async (many, made) => {
    const one = await playPlan(made, 1)
    assert.deepEqual(many.outcomes, withCommitsOf(many, one))
    assert.deepEqual(many.branch, one.branch)
  },
)

/** Only the order of the commits, and so their names, may differ. */
function withCommitsOf(many: LanesWorld, one: LanesWorld): LanesWorld['outcomes'] {
  return Object.fromEntries(
    Object.entries(one.outcomes).map(([code, outcome]) => [
      code,
      outcome.commit === undefined ? outcome : { ...outcome, commit: many.outcomes[code]?.commit },
    ]),
  )
}

holds(
  'no tree is committed that was not verified as that tree on that head, or as part of its train, nor one whose diff was not challenged',
  ANYWHERE,
  (world, { rules }) => {
    const { challenge = true, verify = true } = rules
    for (const { tree, head, train, before, files, codes } of world.commits) {
      const judged = train ?? { tree, head }
      const asThatTree = world.seen.filter((each) => each.tree === judged.tree && each.head === judged.head)
      if (verify) assert.ok(asThatTree.some(({ kind, verdict }) => /verify|fresh/.test(kind) && verdict === 'passed'))
      if (!challenge) continue
      const own = describeChanges(before, files)
      const heard = world.seen.filter((each) => each.kind === 'challenge' && each.changes === own)
      assert.ok(heard.some(({ scores }) => codes.every((code) => (scores?.[code] ?? 0) >= 90)))
      assert.ok(!codes.some((code) => wordsOf(files).includes(`${code}!`)))
    }
  },
)

holds('a train ends with the tree that was verified for all of it', ANYWHERE, ({ commits }) => {
  for (const [index, { train, tree }] of commits.entries()) {
    if (train && commits[index + 1]?.train?.tree !== train.tree) assert.equal(tree, train.tree)
  }
})

holds('every commit stands on the one before it, and holds files of exactly its own issues', ANYWHERE, (world) => {
  let last: Files | undefined
  for (const { before, files, codes, owners } of world.commits) {
    // A person's commit may stand in between, but takes nothing away.
    for (const [path, text] of Object.entries(last ?? {})) if (path !== 'a.py') assert.equal(before[path], text)
    const owning = new Set(differing(before, files).flatMap((path) => owners[path] ?? []))
    assert.deepEqual([...owning].sort(), [...codes].sort())
    assert.ok(differing(before, files).every((path) => !path.startsWith('protected/')))
    last = files
  }
})

holds(
  'every issue has exactly one outcome, and is resolved if and only if a commit holds it',
  ANYWHERE,
  (world, { plan }) => {
    const codes = world.results.flatMap((result) => Object.keys(result.outcomes))
    const isStopped = world.end.kind === 'over' && world.end.stop !== undefined
    // What a stop kept from being begun has none.
    const begun = plan.filter((_, index) => !isStopped || world.log.includes(`begin ${index + 1}`))
    assert.deepEqual(codes.toSorted(), [...begun.join('')].toSorted())
    const committed = world.commits.flatMap((commit) => commit.codes)
    assert.deepEqual(committed, [...new Set(committed)])
    for (const [code, { status, reason }] of Object.entries(world.outcomes)) {
      assert.equal(status === 'resolved', committed.includes(code), code)
      assert.equal(reason === '', status === 'resolved')
      assert.ok(status !== 'open' || isStopped, code)
    }
  },
)

holds(
  'stages that share a file by their findings follow each other, in the order of the plan',
  ANYWHERE,
  (world, { plan, twins }) => {
    const stages = plan.map((codes) => stageOf(codes))
    for (const [one] of plan.entries()) {
      for (let other = one + 1; other < plan.length; other += 1) {
        if (twins.length < 2 || !shareFile(stages, [twins], one, other)) continue
        const begins = world.log.indexOf(`begin ${other + 1}`)
        if (begins >= 0) assert.ok(world.log.slice(0, begins).includes(`end ${one + 1}`))
      }
    }
  },
)

holds(
  'no more stages are at work than there are lanes, and every step has a name of its own',
  ANYWHERE,
  (world, { lanes }) => {
    assert.ok(world.mostAtOnce <= lanes)
    const names = world.seen.map(({ call }) => call)
    assert.deepEqual(names, [...new Set(names)])
    for (const name of names) assert.ok(parseStepId(name), `${name} is no step id`)
  },
)

holds('no two commits are under way at once', ANYWHERE, (world) => {
  const underway = new Set<string>()
  for (const line of world.log) {
    const [what, step = ''] = line.split(' ')
    if (!/^s\d+\.commit\d*$/.test(step)) continue
    if (what === '>') underway.add(step)
    else underway.delete(step)
    assert.ok(underway.size <= 1, [...underway].join(' and '))
  }
})

holds('a provider at its limit is waited for once at a time, and nobody asks it meanwhile', ANYWHERE, (world) => {
  for (const provider of ['fix', 'challenge']) {
    const [wait, call] = [new RegExp(`\\.${provider}\\.wait\\d*$`), new RegExp(`\\.${provider}(\\.w\\d+)?$`)]
    const underway = new Set<string>()
    for (const line of world.log) {
      const [what, step = ''] = line.split(' ')
      assert.ok(what !== '>' || !call.test(step) || underway.size === 0, `${line} while ${[...underway]}`)
      if (!wait.test(step)) continue
      if (what === '>') underway.add(step)
      else underway.delete(step)
      assert.ok(underway.size <= 1, [...underway].join(' and '))
    }
  }
})
