// Both gates on one tree; what they say becomes an attempt. The challenger is asked also about a tree that fails the
// verification, so that the next round hears everything at once, and so that there are scores when parts are taken back.
import type { ChallengeInput, ChallengeOutcome, Ending, VerifyOutcome } from '../../domain/protocol/index.ts'
import {
  type Attempt,
  type Composition,
  codesIn,
  isApproved,
  type StageRules,
  wholeDiffPasses,
} from '../../domain/stage/attempt.ts'
import { patiently } from '../provider-backoff.ts'
import { type Claim, picksOf, weighClaims } from './false-positive-claims.ts'
import type { Named } from './ports.ts'
import {
  callName,
  endSpent,
  freshWordOn,
  type Judged,
  type Ledger,
  latestIteration,
  noteFreshWord,
} from './stage-state.ts'

interface Tree extends Composition {
  /** Its hash, where it is known before the gates put it together. */
  readonly tree: string
}

interface JudgeOptions {
  readonly name: string
  /** No challenge where the verification already failed: for trees that are only tried out. */
  readonly cheaply?: boolean
  /** All that is in it had passed by then. */
  readonly settles?: boolean
  /** Put to the challenger together with the tree, which holds nothing of them. */
  readonly claims?: readonly Claim[]
}

export async function judge(
  ledger: Ledger,
  made: Tree,
  { name, cheaply, settles, claims = [] }: JudgeOptions,
): Promise<Ending | undefined> {
  if (ledger.challengerGone) return ledger.challengerGone
  const { task, ports, head } = ledger
  const { rules } = task
  const codes = codesIn(made)
  const iteration = latestIteration(ledger, codes)
  const input = { head, picks: made.picks, codes, iteration, ...(settles ? { settles } : {}) }

  const verification = rules.verify ? callName(ledger, `${name}.verify`) : undefined
  const verified = verification ? await ports.verify({ ...input, call: verification }) : undefined
  if (verified?.failure) return { class: verified.failure.class, detail: verified.failure.detail }
  const unchallenged: Attempt = {
    ...made,
    tree: verified?.tree ?? made.tree,
    verification: verified?.verdict ?? 'unverified',
    issues: {},
    feedback: verified?.verdict === 'failed' ? (verified.words ?? verified.summary) : undefined,
  }
  if (!rules.challenge || (cheaply && verified?.verdict === 'failed')) {
    weighClaims(ledger, claims)
    return keep(ledger, { head, attempt: unchallenged, verification }, verified)
  }

  const answer = await challenge(ledger, name, input, claims)
  const { tree, issues, whole, feedback } = answer.outcome
  const challenged: Judged = {
    head,
    attempt: { ...unchallenged, tree, issues, whole, feedback },
    verification,
    challenge: answer.call,
  }
  if (answer.kind === 'stop') {
    // What it said by then was said of this tree; of an issue that it did not come to, nothing was.
    if (Object.keys(issues).length > 0) keep(ledger, challenged, verified)
    return answer.ending
  }
  for (const code of codes.filter((each) => !issues[each])) {
    ledger.ended.set(code, { class: 'verdict', reason: 'not_challenged: the challenger gave no usable verdict' })
  }
  return keep(ledger, challenged, verified)
}

/** For claims beside which there is no new tree to judge: their question is an empty diff. */
export async function hear(ledger: Ledger, name: string, claims: readonly Claim[]): Promise<Ending | undefined> {
  if (ledger.challengerGone) return ledger.challengerGone
  if (!ledger.task.rules.challenge) {
    weighClaims(ledger, claims)
    return undefined
  }
  const iteration = latestIteration(
    ledger,
    claims.map(({ code }) => code),
  )
  const answer = await challenge(ledger, name, { head: ledger.head, picks: [], codes: [], iteration }, claims)
  if (answer.kind === 'stop') return answer.ending
  ledger.asked.push({ challenge: answer.call })
  return undefined
}

type Question = Omit<Named<ChallengeInput>, 'call' | 'earlier' | 'brief' | 'claims'>

async function challenge(ledger: Ledger, name: string, question: Question, claims: readonly Claim[]) {
  const { ports, task } = ledger
  const earlier = [...new Set(ledger.asked.flatMap((each) => each.challenge ?? []))]
  const more = {
    ...(task.brief ? { brief: task.brief } : {}),
    ...(claims.length > 0 ? { claims: picksOf(claims) } : {}),
  }
  const answer = await patiently<ChallengeOutcome>(callName(ledger, `${name}.challenge`), task.clocks, ports, (call) =>
    ports.challenge({ ...question, call, earlier, ...more }),
  )
  const { agreed = [] } = answer.outcome
  if (answer.kind === 'stop') {
    // Of the session's limits none keeps it from judging what had passed.
    const isGone = answer.ending.class !== 'budget' || !ports.patched('settle-at-a-limit')
    if (isGone) ledger.challengerGone = answer.ending
    const settled = claims.filter(({ code }) => agreed.includes(code))
    weighClaims(ledger, settled, { call: answer.call, agreed })
  } else {
    weighClaims(ledger, claims, { call: answer.call, agreed })
    endSpent(ledger, answer.outcome.spent)
  }
  return answer
}

function keep(ledger: Ledger, made: Judged, verified: VerifyOutcome | undefined): undefined {
  if (verified?.fresh && made.verification) noteFreshWord(ledger, made, made.verification, verified)
  const judged = asFresh(ledger, made)
  ledger.judged.push(judged)
  ledger.asked.push(judged)
  noteProblems(ledger, judged, verified)
}

/** What the fresh checkout of a tree said holds, whatever was or is said of the same tree elsewhere. */
export function asFresh(ledger: Ledger, judged: Judged): Judged {
  const word = freshWordOn(ledger, judged)
  if (!word) return judged
  const { call, verdict, feedback } = word
  const attempt: Attempt = { ...judged.attempt, verification: verdict, ...(feedback ? { feedback } : {}) }
  return { ...judged, verification: call, attempt }
}

/** What keeps the issues of a tree from being committed, or that nothing does. */
export function noteProblems(ledger: Ledger, judged: Judged, verified?: Pick<VerifyOutcome, 'summary'>): void {
  const { attempt } = judged
  const word = freshWordOn(ledger, judged) ?? verified
  for (const code of codesIn(attempt)) {
    const reason = whyNot(code, attempt, ledger.task.rules, word)
    if (reason) ledger.problems.set(code, { class: 'verdict', reason })
    else ledger.problems.delete(code)
  }
}

/** What keeps an issue of this tree from being committed: its own faults first, then those of the whole. */
function whyNot(
  code: string,
  attempt: Attempt,
  rules: StageRules,
  verified?: Pick<VerifyOutcome, 'summary'>,
): string | undefined {
  const verdict = attempt.issues[code]
  if (verdict && verdict.blockers > 0) return `${verdict.blockers} open blocker(s) of the challenger`
  if (verdict && !isApproved(code, attempt, rules)) return `scored ${verdict.score}, below ${rules.solvedThreshold}`
  if (attempt.verification === 'failed') return `verification failed: ${verified?.summary ?? ''}`
  if (attempt.verification === 'unverified' && !rules.challenge) return 'neither challenged nor verified'
  if (wholeDiffPasses(attempt, rules)) return undefined
  return `the whole diff scored ${attempt.whole ?? 'nothing'}, below ${rules.satisfactionThreshold}`
}
