// A world in which a tree is a map from path to text, for the stage driver and nothing else. Texts carry what the gates look
// for: `A=95` is what issue A is worth there, `A!` a blocker of A, `broken` fails the verification, `stale` only a fresh checkout's, `milder` the tests
// as they were, `half:X` does where another file holds it, too. Trees are put together and owned by the real rules, so what the fake gates
// see is what the real ones would.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { isIssueLimit } from '../../src/domain/budget/limits.ts'
import type { Stage } from '../../src/domain/plan/plan.ts'
import type { CallFailure } from '../../src/domain/session/failure.ts'
import type { Selection, StageRules } from '../../src/domain/stage/attempt.ts'
import {
  assignOwners,
  countOwnedPaths,
  listOwnerSets,
  listPathsOwnedBy,
  type Owners,
  restrictOwners,
} from '../../src/domain/stage/change-owners.ts'
import type { FixInput, FixWork, Timeouts, VerifyOutcome } from '../../src/domain/workflow-types/index.ts'
import { runStage } from '../../src/workflows/stage/run-stage.ts'
import type { StagePorts, WaitRequest } from '../../src/workflows/stage/stage-ports.ts'
import type { StageResult } from '../../src/workflows/stage/stage-state.ts'
import { RULES as ATTEMPT_RULES } from './attempts.ts'

export type Files = Readonly<Record<string, string>>

export interface FixerTurn {
  readonly call: string
  readonly codes: readonly string[]
  readonly iteration: number
  /** How many fixer calls there were before. */
  readonly turn: number
  readonly files: Files
}

export interface FixerDoes {
  /** What the files hold afterwards; undefined removes one. */
  readonly write?: Readonly<Record<string, string | undefined>>
  readonly claims?: Readonly<Record<string, readonly string[]>>
  /** Calls these false positives, and why; an empty reason is none. */
  readonly denies?: Readonly<Record<string, string>>
  /** Calls these blocked, and why. */
  readonly blocks?: Readonly<Record<string, string>>
  readonly failure?: CallFailure
  /** Issues that may spend no more after it, and why. */
  readonly spent?: Readonly<Record<string, string>>
}

export interface ChallengerDoes {
  readonly failure?: CallFailure
  /** Where it failed: what it had said by then, on these issues and claims. */
  readonly reached?: readonly string[]
  /** No usable verdict on these. */
  readonly misses?: readonly string[]
  /** Of the false positives that were claimed. */
  readonly agrees?: readonly string[]
  /** Its words, where they matter for a scenario. */
  readonly feedback?: string
  readonly whole?: number
  readonly spent?: Readonly<Record<string, string>>
}

export type BranchDoes = { readonly checkedOut: string } | { readonly moved: Files }

export interface Script {
  readonly fixer: (turn: FixerTurn) => FixerDoes
  readonly challenger?: (turn: number, codes: readonly string[]) => ChallengerDoes | undefined
  /** What the branch answers to each commit before it takes one. */
  readonly branch?: readonly BranchDoes[]
  /** Which of the issues whose changes reach outside (`outside/…`) a person turns down. */
  readonly person?: (call: string, asking: readonly string[]) => readonly string[]
  /** A setting rejects changes of tests that the old tests refute. */
  readonly rejectsTestChanges?: boolean
  /** Whether each tree is verified in a fresh checkout from the start. */
  readonly freshAtOnce?: boolean
  /** Whether no challenger judges. */
  readonly isUnchallenged?: boolean
  /** All issues of a session whose stages are at work side by side: calls are refused, and not asked for, after a limit. */
  readonly inLanes?: readonly string[]
  /** When the session's time is over. */
  readonly endsAt?: number
  /** Whether a failure names the files that are broken. */
  readonly namesFiles?: boolean
  /** Whether all has to pass, and the base is red until all is fixed. */
  readonly isRedBefore?: boolean
  /** All has to pass, and the base is red without the fix of this issue. */
  readonly mendedBy?: string
  /** The commits that a tree is committed as; by default one. */
  readonly split?: (codes: readonly string[]) => readonly { readonly sha: string; readonly codes: readonly string[] }[]
}

export interface Seen {
  readonly kind: 'fix' | 'verify' | 'fresh' | 'oldtests' | 'prove' | 'challenge' | 'commit' | 'merge' | 'wait' | 'scope'
  readonly call: string
  readonly codes: readonly string[]
  readonly head: string
  readonly picks: readonly Selection[]
  readonly tree?: string
  readonly verdict?: VerifyOutcome['verdict']
  readonly scores?: Readonly<Record<string, number>>
  /** The calls whose words a fixer got. */
  readonly feedback?: readonly string[]
  /** What was claimed to be false positives, and what of it the challenger agreed to. */
  readonly claims?: readonly Selection[]
  readonly agreed?: readonly string[]
  readonly whole?: number | undefined
  /** Of a challenge: what the tree changes on its head. */
  readonly changes?: string
  /** A limit of the session ended it. */
  readonly isCut?: boolean
  readonly iteration?: number
  readonly why?: string
  readonly waitsFor?: WaitRequest['kind']
  /** The conversation that a fix went on with. */
  readonly resume?: string | undefined
}

export interface Commit {
  readonly codes: readonly string[]
  readonly files: Files
  readonly before: Files
  readonly owners: Owners
  readonly tree: string
  readonly head: string
  /** Of a train: the tree and the head that it was verified as. */
  readonly train?: { readonly tree: string; readonly head: string }
  readonly challenge?: string | undefined
  readonly verified: string
  readonly proofs?: readonly string[] | undefined
}

export interface World {
  readonly result: StageResult
  readonly seen: readonly Seen[]
  readonly commits: readonly Commit[]
}

const BASE: Files = { 'readme.md': 'hello' }
export const TIMEOUTS: Timeouts = {
  fixSeconds: 900,
  challengeSeconds: 120,
  verifySeconds: 600,
  heartbeatSeconds: 6,
  backoffMinSeconds: 60,
  backoffMaxSeconds: 3600,
  giveUpAfterSeconds: 86_400,
  clarifySeconds: 604_800,
  planSeconds: 604_800,
  scopeSeconds: 604_800,
}

export const RULES: StageRules = { ...ATTEMPT_RULES, maxIterations: 2 }

/** Each argument is a batch, each letter of it an issue whose file is named after it. */
export function stageOf(...batches: readonly string[]): Stage {
  return {
    batches: batches.map((codes) => ({ kind: 'backend', label: 'BE', workload: 1, steps: [[...codes]] })),
  }
}

export function fileOf(code: string): string {
  return `${code.toLowerCase()}.py`
}

/** The text with an issue's mark in it, and no older one of the same issue. */
export function mark(text: string | undefined, code: string, score: number, more = ''): string {
  const others = (text ?? '')
    .split(' ')
    .filter((word) => word && !word.startsWith(code) && !/^(broken|stale|milder|half:.*)$/.test(word))
  return [...others, `${code}=${score}`, ...(more ? [more] : [])].join(' ')
}

export async function play(
  stage: Stage,
  script: Script,
  options: Partial<StageRules> & {
    readonly clocks?: { readonly giveUpAfterSeconds: number }
    readonly planned?: string
  } = {},
): Promise<World> {
  const { clocks, planned, ...rules } = options
  const world = fakeWorld(script)
  const task = {
    stage,
    number: 1,
    head: 'base',
    rules: { ...RULES, ...rules },
    plannedConversation: planned === undefined ? undefined : { id: planned },
    timeouts: { ...TIMEOUTS, ...clocks },
  }
  return { result: await runStage(task, world.ports), seen: world.seen, commits: world.commits }
}

export function fakeWorld(script: Script) {
  const heads = new Map<string, Files>([['base', BASE]])
  const snapshots = new Map<string, { files: Files; owners: Owners }>()
  const branch = [...(script.branch ?? [])]
  const seen: Seen[] = []
  const commits: Commit[] = []
  let time = 0
  /** The branch's own head. */
  let tip = 'base'
  let challenges = 0
  let fixes = 0
  /** Of the session's own limits the one that was reached. From then on only what had passed may be judged, and nothing costs time. */
  let over: CallFailure | undefined

  const asked = new Map<string, readonly string[]>()
  const approved = new Set<string>()
  const clock = { now: () => time, endsAt: () => script.endsAt }
  const ports: StagePorts = {
    fixBatch,
    verifyTree,
    verifyOldTests,
    proveFix,
    challengeTree,
    commitStage,
    mergeStage,
    wait,
    decideScope,
    ...clock,
  }
  return { ports, seen, commits, branchFiles: () => headOf(tip) }

  function headOf(head: string): Files {
    const files = heads.get(head)
    if (!files) throw new Error(`there is no commit ${head}`)
    return files
  }

  function compose(head: string, picks: readonly Selection[]): { files: Files; owners: Owners } {
    const files = new Map(Object.entries(headOf(head)))
    let owners: Owners = {}
    for (const { snapshot, codes } of picks) {
      const taken = snapshots.get(snapshot)
      if (!taken) throw new Error(`there is no snapshot ${snapshot}`)
      const paths = listPathsOwnedBy(taken.owners, codes)
      owners = { ...owners, ...restrictOwners(taken.owners, new Set(paths)) }
      for (const path of paths) set(files, path, taken.files[path])
    }
    return { files: Object.fromEntries(files), owners }
  }

  async function fixBatch(input: Omit<FixInput, 'sessionId'>) {
    const { stepId, head, codes, iteration, feedbackStepIds, start: picks } = input
    seen.push({
      kind: 'fix',
      call: stepId,
      codes,
      head,
      picks,
      iteration,
      feedback: feedbackStepIds,
      resume: input.resume?.id,
    })
    const start = compose(head, picks)
    if (over && script.inLanes) {
      snapshots.set(stepId, { files: start.files, owners: start.owners })
      return { work: { ...workOf(stepId, start.files, start.owners), outOfScope: [], violations: [] }, failure: over }
    }
    assert.equal(over, undefined, `${stepId} is begun after ${over?.detail}`)
    const does = script.fixer({ call: stepId, codes, iteration, turn: fixes, files: start.files })
    fixes += 1
    meter(does)
    const files = new Map(Object.entries(start.files))
    for (const [path, text] of Object.entries(does.write ?? {})) set(files, path, text)
    const after = Object.fromEntries(files)
    const claimants = codes.map((code) => ({
      code,
      file: fileOf(code),
      claimedFiles: does.claims?.[code] ?? [],
      claimsFalsePositive: does.denies?.[code] !== undefined,
    }))
    const changes = differing(start.files, after).map((path) => ({ path }))
    const differs = new Set(differing(headOf(head), after))
    const owners = restrictOwners(assignOwners(changes, claimants, start.owners), differs)
    snapshots.set(stepId, { files: after, owners })
    const violations = changes.map(({ path }) => path).filter((path) => path.startsWith('protected/'))
    const outOfScope = [...new Set(violations.flatMap((path) => owners[path] ?? []))]
    const outside = [...differs].filter((path) => path.startsWith('outside/') && !approved.has(path))
    const asking = [...new Set(outside.flatMap((path) => owners[path] ?? []))]
    asked.set(stepId, outside)
    const plain = workOf(stepId, after, owners)
    const blocked = Object.entries(does.blocks ?? {}).map(
      ([code, message]) => [code, { files: 0, isBlocked: true as const, message }] as const,
    )
    const issues = { ...denied(does, codes), ...Object.fromEntries(blocked), ...plain.issues }
    const alsoTouched = script.inLanes?.filter((code) => !codes.includes(code) && differs.has(fileOf(code)))
    const work = { ...plain, issues, outOfScope, violations, needsApproval: asking, alsoTouched }
    const more = does.spent ? { overspent: does.spent } : {}
    return does.failure
      ? { work, failure: does.failure, ...more }
      : { work, conversation: { id: `talk of ${stepId}` }, ...more }
  }

  function meter({ failure }: { readonly failure?: CallFailure }): void {
    if (failure?.class === 'budget' && !isIssueLimit(failure.limit) && !failure.isLaneShare) over = failure
  }

  async function verifyTree(input: Parameters<StagePorts['verifyTree']>[0]): Promise<VerifyOutcome> {
    const { stepId, codes, head, selections, inFreshCheckout, ignoresLimits } = input
    if (over?.class === 'budget' && over.limit === 'session_seconds' && !inFreshCheckout && !ignoresLimits)
      return { verdict: 'unverified', tree: '', summary: '', failure: over }
    const { files, owners } = compose(head, selections)
    const inCheckout = inFreshCheckout || script.freshAtOnce
    const marks = inCheckout ? ['broken', 'stale'] : ['broken']
    const halves = wordsOf(files).filter((word) => word.startsWith('half:'))
    const whole = halves.filter((word, at) => halves.indexOf(word) !== at)
    const broken = Object.keys(files).filter((path) => [...marks, ...whole].some((word) => files[path]?.includes(word)))
    const suspects = script.namesFiles ? broken.flatMap((path) => owners[path] ?? []) : []
    const lacksMending = script.mendedBy !== undefined && !codes.includes(script.mendedBy)
    const verdict = broken.length > 0 || script.isRedBefore || lacksMending || overlaps(input) ? 'failed' : 'passed'
    const brokeNothing = lacksMending && broken.length === 0
    seen.push({
      kind: inFreshCheckout ? 'fresh' : 'verify',
      call: stepId,
      codes,
      head,
      picks: selections,
      tree: hash(files),
      verdict,
    })
    const summary = `broken: ${broken.join(', ')}`
    const words = `${summary} in ${hash(files)}`
    const more = {
      ...(suspects.length > 0 ? { suspects } : {}),
      ...(script.isRedBefore || brokeNothing ? { failedBefore: true as const } : {}),
      ...(brokeNothing ? { brokeNothing: true as const } : {}),
      ...(inCheckout ? { inFreshCheckout: true as const } : {}),
    }
    return { verdict, tree: hash(files), summary, failureKey: words, ...more }
  }

  async function challengeTree({
    stepId,
    codes,
    head,
    selections,
    claims,
    ignoresLimits,
  }: Parameters<StagePorts['challengeTree']>[0]) {
    const { files } = compose(head, selections)
    const tree = hash(files)
    if (over && !ignoresLimits) return { tree, issues: {}, unchallenged: [], feedbackKey: '', failure: over }
    const does = script.challenger?.(challenges, codes) ?? {}
    challenges += 1
    meter(does)
    const isReached = (code: string): boolean => !does.failure || does.reached?.includes(code) === true
    const judged = codes.filter((code) => !does.misses?.includes(code) && isReached(code))
    const scores = Object.fromEntries(judged.map((code) => [code, scoreOf(files, code)]))
    const blocked = (code: string): boolean => wordsOf(files).includes(`${code}!`)
    const issues = Object.fromEntries(
      judged.map((code) => [code, { score: scores[code] ?? 0, blockers: blocked(code) ? 1 : 0 }]),
    )
    const whole = does.whole ?? (judged.length > 0 ? Math.min(...Object.values(scores)) : undefined)
    const claimed = (claims ?? []).flatMap((pick) => pick.codes)
    const agreed = claimed.filter((code) => isReached(code) && does.agrees?.includes(code))
    const heard = claims ? { claims, agreed } : {}
    const isCut = does.failure?.class === 'budget'
    const changes = describeChanges(headOf(head), files)
    const judgedTree = { codes, head, picks: selections, tree, scores, whole, isCut, changes }
    seen.push({ kind: 'challenge', call: stepId, ...judgedTree, ...heard })
    const feedback = does.feedback ?? `words of ${stepId}`
    const unchallenged = codes.filter((code) => !judged.includes(code))
    const spent = does.spent ? { overspent: does.spent } : {}
    const more = {
      ...(does.failure ? { failure: does.failure } : {}),
      ...(claims ? { agreedClaims: agreed } : {}),
      ...spent,
    }
    return { tree, issues, unchallenged, wholeDiffScore: whole, feedbackKey: feedback, ...more }
  }

  async function verifyOldTests({ stepId, codes, head, selections }: Parameters<StagePorts['verifyOldTests']>[0]) {
    const { files, owners } = compose(head, selections)
    const milder = Object.keys(files).filter((path) => files[path]?.includes('milder') && owners[path])
    const verdict = milder.length > 0 ? 'refuted' : 'held'
    seen.push({ kind: 'oldtests', call: stepId, codes, head, picks: selections, tree: hash(files) })
    snapshots.set(stepId, { files, owners })
    asked.set(stepId, milder)
    const tests = Object.fromEntries(milder.map((path) => [path, files[path] ?? '']))
    const rejected = script.rejectsTestChanges ? milder.flatMap((path) => owners[path] ?? []) : undefined
    return { verdict, summary: `milder: ${milder}`, testsKey: hash(tests), ...(rejected ? { rejected } : {}) } as const
  }

  async function proveFix({ stepId, codes, head, selections }: Parameters<StagePorts['proveFix']>[0]) {
    seen.push({
      kind: 'prove',
      call: stepId,
      codes,
      head,
      picks: selections,
      tree: hash(compose(head, selections).files),
    })
    return { verdict: 'not_proven' } as const
  }

  async function commitStage(input: Parameters<StagePorts['commitStage']>[0]) {
    const { stepId, head, selections, tree } = input
    const composed = compose(head, selections)
    seen.push({ kind: 'commit', call: stepId, codes: input.codes, head, picks: selections, tree })
    if (hash(composed.files) !== tree) throw new Error(`${stepId} is not the tree that the gates saw`)
    const does = branch.shift()
    if (does && 'checkedOut' in does) return { kind: 'checked_out', where: does.checkedOut } as const
    if (does) {
      const moved = `moved${branch.length}`
      heads.set(moved, { ...headOf(tip), ...does.moved })
      tip = moved
      return { kind: 'moved', head: moved } as const
    }
    if (head !== tip) return { kind: 'moved', head: tip } as const
    if (input.cars) return commitTrain(input)
    const codes = input.codes.filter((code) => countOwnedPaths(composed.owners, code) > 0)
    const parts = script.split?.(codes)
    const sha = parts?.at(-1)?.sha ?? `sha${commits.length + 1}`
    heads.set(sha, composed.files)
    tip = sha
    const { challengeStepId: challenged, verified, proofStepIds } = input
    commits.push({
      ...composed,
      codes,
      before: headOf(head),
      tree,
      head,
      challenge: challenged,
      verified,
      proofs: proofStepIds,
    })
    return { kind: 'committed', sha, codes, ...(parts ? { commits: parts } : {}) } as const
  }

  function overlaps({ cars, selections }: Parameters<StagePorts['verifyTree']>[0]): boolean {
    const paths = selections.flatMap(({ snapshot, codes }) =>
      listPathsOwnedBy(snapshots.get(snapshot)?.owners ?? {}, codes),
    )
    return cars !== undefined && new Set(paths).size < paths.length
  }

  /** A commit for each car. */
  function commitTrain({
    head,
    tree,
    selections,
    cars = [],
    challengeStepIds,
  }: Parameters<StagePorts['commitStage']>[0]) {
    assert.equal(challengeStepIds?.length ?? 0, script.isUnchallenged ? 0 : cars.length)
    const parts = cars.map((codes, index) => {
      const before = headOf(tip)
      const composed = compose(head, selections.slice(0, index + 1))
      const sha = `sha${commits.length + 1}`
      heads.set(sha, composed.files)
      commits.push({
        ...composed,
        codes,
        before,
        tree: hash(composed.files),
        head: tip,
        train: { tree, head },
        verified: 'passed',
      })
      tip = sha
      return { sha, codes }
    })
    return { kind: 'committed', sha: tip, codes: cars.flat(), commits: parts } as const
  }

  async function mergeStage({ stepId, codes, head, selections, onto }: Parameters<StagePorts['mergeStage']>[0]) {
    seen.push({ kind: 'merge', call: stepId, codes, head, picks: selections })
    const { files, owners } = compose(head, selections)
    const ours = differing(headOf(head), files)
    const theirs = differing(headOf(head), headOf(onto))
    const both = ours.filter((path) => theirs.includes(path))
    const paths = both.filter((path) => !path.startsWith('shared') && files[path] !== headOf(onto)[path])
    if (paths.length > 0) return { kind: 'conflict', paths } as const
    const merged = new Map(Object.entries(headOf(onto)))
    for (const path of ours)
      set(merged, path, both.includes(path) ? joinWords(headOf(onto)[path], files[path]) : files[path])
    const after = Object.fromEntries(merged)
    const left = restrictOwners(owners, new Set(differing(headOf(onto), after)))
    snapshots.set(stepId, { files: after, owners: left })
    const isSameDiff = both.length === 0 ? ({ isSameDiff: true } as const) : {}
    const work = { ...workOf(stepId, after, left), outOfScope: [], violations: [] }
    return { kind: 'clean', work, ...isSameDiff } as const
  }

  async function decideScope(call: string) {
    const outside = asked.get(call) ?? []
    const owners = snapshots.get(call)?.owners ?? {}
    const asking = [...new Set(outside.flatMap((path) => owners[path] ?? []))]
    seen.push({ kind: 'scope', call: `${call}.scope`, codes: asking, head: '', picks: [] })
    const barred = script.person?.(call, asking) ?? []
    for (const path of outside) if (!owners[path]?.some((code) => barred.includes(code))) approved.add(path)
    return { barred, reason: 'turned down by a person' }
  }

  async function wait({ stepId: call, kind: waitsFor, why, until }: WaitRequest): Promise<void> {
    seen.push({ kind: 'wait', call, codes: [], head: '', picks: [], why, waitsFor })
    time = Math.max(time, until)
  }
}

function workOf(snapshot: string, files: Files, owners: Owners): Omit<FixWork, 'outOfScope' | 'violations'> {
  const codes = [...new Set(Object.values(owners).flat())]
  const issues = Object.fromEntries(codes.map((code) => [code, { files: countOwnedPaths(owners, code) }]))
  return { snapshot, tree: hash(files), owners: listOwnerSets(owners), issues }
}

function denied({ denies = {} }: FixerDoes, codes: readonly string[]): FixWork['issues'] {
  const own = Object.entries(denies).filter(([code]) => codes.includes(code))
  return Object.fromEntries(
    own.map(([code, message]) => [
      code,
      message ? { files: 0, claim: 'false_positive', message } : { files: 0, message: 'no reason' },
    ]),
  )
}

/** A merge within a file: words of both. */
function joinWords(theirs = '', ours = ''): string {
  return [...new Set([...theirs.split(' '), ...ours.split(' ')])].join(' ')
}

function set(files: Map<string, string>, path: string, text: string | undefined): void {
  if (text === undefined) files.delete(path)
  else files.set(path, text)
}

export function differing(a: Files, b: Files): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path])
}

/** What a tree changes, file by file: the same words are the same diff. */
export function describeChanges(before: Files, after: Files): string {
  const paths = differing(before, after).sort()
  return JSON.stringify(paths.map((path) => [path, before[path], after[path]]))
}

export function wordsOf(files: Files): string[] {
  return Object.values(files).flatMap((text) => text.split(' '))
}

function scoreOf(files: Files, code: string): number {
  const marks = wordsOf(files).filter((word) => word.startsWith(`${code}=`))
  return marks.length === 0 ? 0 : Math.min(...marks.map((word) => Number(word.slice(code.length + 1))))
}

function hash(files: Files): string {
  const text = JSON.stringify(Object.entries(files).sort())
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
