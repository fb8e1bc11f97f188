// What a stage knows while it runs, and what it answers in the end: one outcome for each of its issues.
import { withLoss, withoutAdvice } from '../../domain/budget/limits.ts'
import { codesOfStage, type Stage } from '../../domain/plan/plan.ts'
import type { Clocks, Conversation, Ending, IssueOutcome, VerifyOutcome } from '../../domain/protocol/index.ts'
import { CONSEQUENCES, type FailureClass } from '../../domain/session/failure.ts'
import type { Attempt, Pick, StageRules } from '../../domain/stage/attempt.ts'
import { samePicks } from '../../domain/stage/issue-groups.ts'
import type { StagePorts } from './ports.ts'

export interface StageTask {
  readonly stage: Stage
  /** 1-based place among the stages of the session. */
  readonly number: number
  readonly head: string
  readonly rules: StageRules
  readonly clocks: Clocks
  /** What fixers are told besides the issues. */
  readonly brief?: string | undefined
  /** Where the conversation stood when the plan was made: each stage goes on from there, and none from another stage. */
  readonly planned?: Conversation | undefined
}

export interface StageResult {
  readonly head: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commit?: string | undefined
  readonly stop?: Ending | undefined
}

/** The calls of the gates about one thing. */
interface Asked {
  readonly verification?: string | undefined
  readonly challenge?: string | undefined
}

/** A tree that was judged, and the calls that judged it. */
export interface Judged extends Asked {
  readonly head: string
  readonly attempt: Attempt
}

export interface FreshWord {
  readonly call: string
  readonly verdict: Attempt['verification']
  readonly summary: string
  /** Where it failed. */
  readonly feedback?: string
}

export interface Problem {
  readonly class: FailureClass
  readonly reason: string
}

/** That there is nothing to fix. */
interface Agreement {
  readonly reason: string
  /** The challenger's call that agreed. */
  readonly call: string
}

export interface Ledger {
  readonly task: StageTask
  readonly ports: StagePorts
  readonly codes: readonly string[]
  /** The commit that trees are put together on; it changes when a person commits on the branch meanwhile. */
  head: string
  readonly judged: Judged[]
  /** What the gates were asked so far: trees, and claims that nothing has to be changed. */
  readonly asked: Asked[]
  readonly iterations: Map<string, number>
  /** Issues that get no further round, whatever comes. */
  readonly ended: Map<string, Problem>
  /** False positives: neither worked on nor committed any more. */
  readonly agreed: Map<string, Agreement>
  /** The last thing that went wrong with an issue. */
  readonly problems: Map<string, Problem>
  /** Of the fixer's calls that were completed, by the name of the call, which is that of its snapshot. */
  readonly conversations: Map<string, Conversation>
  /** What came of trees in a fresh checkout, by the head and the tree. */
  readonly fresh: Map<string, FreshWord>
  /** By the head and the tree that was looked at: the calls that looked for proofs. */
  readonly proofs: Map<string, readonly string[]>
  /** Why the challenger can't be asked any more. */
  challengerGone?: Ending | undefined
  /** What had passed, and could not be judged without the rest. */
  lost?: Lost | undefined
}

interface Lost {
  readonly codes: readonly string[]
  readonly reason: string
}

export function openLedger(task: StageTask, ports: StagePorts): Ledger {
  return {
    task,
    ports,
    codes: codesOfStage(task.stage),
    head: task.head,
    judged: [],
    asked: [],
    iterations: new Map(),
    ended: new Map(),
    agreed: new Map(),
    problems: new Map(),
    conversations: new Map(),
    fresh: new Map(),
    proofs: new Map(),
  }
}

/** Names a step for good: claims, snapshots and events are keyed by it. */
export function callName({ task }: Ledger, name: string): string {
  return `s${task.number}.${name}`
}

/** Those that there is something to fix about. */
export function codesInPlay({ codes, agreed }: Ledger): readonly string[] {
  return codes.filter((code) => !agreed.has(code))
}

/** What was judged on the commit that the stage stands on now. */
export function attemptsOf(ledger: Ledger): Attempt[] {
  return ledger.judged.filter(({ head }) => head === ledger.head).map(({ attempt }) => attempt)
}

export function verdictOn({ judged }: Ledger, picks: readonly Pick[]): Judged | undefined {
  return judged.findLast(({ attempt }) => samePicks(attempt.picks, picks))
}

/** What the fresh checkout said of this tree, however it was put together. */
export function freshWordOn({ fresh }: Ledger, { head, attempt }: Judged): FreshWord | undefined {
  return fresh.get(`${head} ${attempt.tree}`)
}

/** What a call found in the fresh checkout of a tree. The first word holds. */
export function noteFreshWord(
  { fresh }: Ledger,
  { head, attempt }: Judged,
  call: string,
  { verdict, summary, words }: VerifyOutcome,
): void {
  const key = `${head} ${attempt.tree}`
  if (fresh.has(key)) return
  fresh.set(key, { call, verdict, summary, ...(verdict === 'failed' ? { feedback: words ?? summary } : {}) })
}

/** The number of the round that these issues saw last. */
export function latestIteration({ iterations }: Ledger, codes: readonly string[]): number {
  return Math.max(1, ...codes.map((code) => iterations.get(code) ?? 0))
}

/** The calls of gates, each once, the verdict on the tree that comes next to be worked on at the end. */
export function gateCalls({ asked }: Ledger, last: Asked = {}): string[] {
  const own = callsOf(last)
  const others = asked.flatMap(callsOf).filter((call) => !own.includes(call))
  return [...new Set(others), ...own]
}

function callsOf({ verification, challenge }: Asked): string[] {
  return [verification ?? [], challenge ?? []].flat()
}

/** They get no further round; what they have by now still counts. */
export function endSpent({ ended }: Ledger, spent: Readonly<Record<string, string>> = {}): void {
  for (const [code, reason] of Object.entries(spent)) {
    if (!ended.has(code)) ended.set(code, { class: 'budget', reason })
  }
}

interface Committed {
  readonly sha: string
  readonly codes: readonly string[]
  readonly attempt: Attempt
}

export function closeLedger(ledger: Ledger, committed: Committed | undefined, ending: Ending | undefined): StageResult {
  const stop = ending && inTruth(ledger, committed, ending)
  const outcomes = Object.fromEntries(
    ledger.codes.map((code) => [
      code,
      committed?.codes.includes(code)
        ? resolved(ledger, code, committed)
        : (ignored(ledger, code) ?? unresolved(ledger, code, stop)),
    ]),
  )
  return { head: ledger.head, outcomes, commit: committed?.sha, stop }
}

function inTruth({ lost }: Ledger, committed: Committed | undefined, ending: Ending): Ending {
  const isLost = lost?.codes.some((code) => !committed?.codes.includes(code))
  return lost && isLost ? { ...ending, detail: withLoss(ending.detail, lost.reason) } : ending
}

function resolved({ iterations }: Ledger, code: string, { sha, attempt }: Committed): IssueOutcome {
  const score = attempt.issues[code]?.score
  return { status: 'resolved', reason: '', iterations: iterations.get(code) ?? 0, score, commit: sha }
}

function ignored({ agreed, iterations }: Ledger, code: string): IssueOutcome | undefined {
  const agreement = agreed.get(code)
  if (!agreement) return undefined
  const { reason, call } = agreement
  return { status: 'ignored', reason, iterations: iterations.get(code) ?? 0, agreed: call }
}

function unresolved({ ended, problems, iterations, judged }: Ledger, code: string, stop?: Ending): IssueOutcome {
  const held: Problem = { class: 'verdict', reason: 'taken back together with an issue that changes the same files' }
  const stopped: Problem | undefined = stop && { class: stop.class, reason: withoutAdvice(stop.detail) }
  const problem = ended.get(code) ?? stopped ?? problems.get(code) ?? held
  return {
    status: problem === stopped ? 'open' : CONSEQUENCES[problem.class].issue,
    reason: problem.reason,
    failure: problem.class,
    iterations: iterations.get(code) ?? 0,
    score: judged.findLast(({ attempt }) => attempt.issues[code])?.attempt.issues[code]?.score,
  }
}
