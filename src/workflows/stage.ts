// The loop of one stage, free of Temporal: rounds of fixing and judging until the rules say stop, then what has passed
// every gate is put together, judged as the tree it then is, and committed. What did not pass is simply never taken over:
// every tree is composed from the stage's base, so there is nothing to revert.
import type { FailureClass } from '../domain/failure.ts'
import { codesOfStage, type Stage } from '../domain/plan.ts'
import type { ChallengeOutcome, Clocks, Ending, FixOutcome, FixWork, IssueOutcome } from '../domain/protocol.ts'
import {
  type Attempt,
  chooseBest,
  isSolved,
  isWholeKnotSolved,
  type KnotChoice,
  mean,
  nextRound,
  type Pick,
  picksOf,
  type StageRules,
  samePicks,
  scoresOf,
  wholeDiffPasses,
} from '../domain/stage.ts'
import { patiently } from './patience.ts'
import type { StagePorts } from './ports.ts'

export interface StageTask {
  readonly stage: Stage
  /** 1-based place among the stages of the session. */
  readonly number: number
  readonly head: string
  readonly rules: StageRules
  readonly clocks: Clocks
}

export interface StageResult {
  readonly head: string
  readonly outcomes: Readonly<Record<string, IssueOutcome>>
  readonly commit?: string | undefined
  readonly stop?: Ending | undefined
}

interface Problem {
  readonly class: FailureClass
  readonly reason: string
}

/** A tree that was judged, and the calls that judged it. */
interface Judged {
  readonly attempt: Attempt
  readonly verification?: string | undefined
  readonly challenge?: string | undefined
}

type Round = { readonly kind: 'judged' } | { readonly kind: 'stop'; readonly ending: Ending }

export function runStage(task: StageTask, ports: StagePorts): Promise<StageResult> {
  return new StageRun(task, ports).run()
}

class StageRun {
  readonly #task: StageTask
  readonly #ports: StagePorts
  readonly #codes: readonly string[]
  readonly #judged: Judged[] = []
  readonly #iterations = new Map<string, number>()
  /** Issues that are not tried again, whatever comes. */
  readonly #lost = new Map<string, Problem>()
  /** The last thing that went wrong with an issue. */
  readonly #problems = new Map<string, Problem>()
  #head: string
  #settled = 0

  constructor(task: StageTask, ports: StagePorts) {
    this.#task = task
    this.#ports = ports
    this.#codes = codesOfStage(task.stage)
    this.#head = task.head
  }

  async run(): Promise<StageResult> {
    const stop = await this.#rounds()
    const chosen = await this.#choose(stop === undefined)
    if (!chosen) return this.#result(undefined, undefined, stop)
    return await this.#commit(chosen, stop)
  }

  async #rounds(): Promise<Ending | undefined> {
    let active: readonly string[] = this.#codes
    let start: readonly Pick[] = []
    for (let iteration = 1; ; iteration += 1) {
      const round = await this.#round(`i${iteration}`, iteration, active, start)
      if (round.kind === 'stop') return round.ending
      const next = nextRound(this.#live(), this.#attempts(), iteration, this.#task.rules)
      if (next.kind !== 'again') return undefined
      active = next.codes
      start = next.start
    }
  }

  /** Every batch's fixer call, then the gates on the tree that came of it. */
  async #round(name: string, iteration: number, active: readonly string[], from: readonly Pick[]): Promise<Round> {
    let start = from
    let work: FixWork | undefined
    for (const [index, batch] of this.#task.stage.batches.entries()) {
      const codes = batch.steps.flat().filter((code) => active.includes(code) && !this.#lost.has(code))
      if (codes.length === 0) continue
      for (const code of codes) this.#iterations.set(code, (this.#iterations.get(code) ?? 0) + 1)
      const answer = await patiently<FixOutcome>(
        this.#call(`${name}.b${index + 1}.fix`),
        this.#task.clocks,
        this.#ports,
        (call, before) =>
          this.#ports.fix({
            call,
            head: this.#head,
            stage: this.#task.number,
            batch,
            iteration,
            codes,
            start: before ? this.#picksOf(before.work) : start,
            feedback: this.#judged.flatMap(({ verification, challenge }) =>
              [verification ?? [], challenge ?? []].flat(),
            ),
          }),
      )
      if (answer.kind === 'stop') return answer
      work = answer.outcome.work
      this.#noteWork(codes, work, answer.outcome.failure?.detail)
      start = this.#picksOf(work)
    }
    if (!work) return { kind: 'judged' }
    return await this.#judge(name, iteration, work)
  }

  #noteWork(codes: readonly string[], work: FixWork, failed: string | undefined): void {
    for (const code of codes) {
      const own = work.issues[code]
      if (failed) this.#problems.set(code, { class: 'no_usable_work', reason: failed })
      else if (!own?.files)
        this.#problems.set(code, { class: 'no_usable_work', reason: own?.note || 'no changes applied' })
      else this.#problems.delete(code)
    }
    for (const code of work.outOfScope) {
      this.#lost.set(code, {
        class: 'verdict',
        reason: `the fix touched what it may not: ${work.violations.slice(0, 5).join(', ')}`,
      })
    }
  }

  async #judge(name: string, iteration: number, work: FixWork): Promise<Round> {
    const files: Record<string, number> = {}
    for (const code of this.#live()) files[code] = work.issues[code]?.files ?? 0
    return await this.#judgeTree(name, iteration, this.#picksOf(work), files, work)
  }

  /** Both gates on one tree; what they say becomes an attempt. A tree without a change needs no gate. */
  async #judgeTree(
    name: string,
    iteration: number,
    picks: readonly Pick[],
    files: Readonly<Record<string, number>>,
    { tree, owners }: { readonly tree: string; readonly owners: readonly (readonly string[])[] },
  ): Promise<Round> {
    const codes = picks.flatMap((pick) => pick.codes)
    const empty: Attempt = {
      picks,
      tree,
      owners,
      outOfScope: [],
      verification: 'unverified',
      issues: Object.fromEntries(Object.entries(files).map(([code, count]) => [code, { files: count, blockers: 0 }])),
    }
    if (codes.length === 0) return this.#keep({ attempt: empty })

    const input = { head: this.#head, picks, codes, iteration }
    const { rules, clocks } = this.#task
    const verification = rules.verify ? this.#call(`${name}.verify`) : undefined
    const verified = verification
      ? await this.#ports.verify({ ...input, call: verification })
      : { verdict: 'unverified' as const, tree, summary: '' }
    if (verified.verdict === 'failed') {
      for (const code of codes)
        this.#problems.set(code, { class: 'verdict', reason: `verification failed: ${verified.summary}` })
    }
    const attempt: Attempt = { ...empty, tree: verified.tree, verification: verified.verdict }
    // What broke the build goes round again whatever its score would be: asking would only cost.
    if (!rules.challenge || verified.verdict === 'failed') {
      return this.#keep({ attempt, verification })
    }

    const answer = await patiently<ChallengeOutcome>(this.#call(`${name}.challenge`), clocks, this.#ports, (call) =>
      this.#ports.challenge({ ...input, call, earlier: this.#judged.flatMap(({ challenge }) => challenge ?? []) }),
    )
    if (answer.kind === 'stop') return answer
    const said = answer.outcome
    for (const code of said.unchallenged) {
      this.#lost.set(code, { class: 'verdict', reason: 'not_challenged: the challenger gave no usable verdict' })
    }
    const issues = { ...attempt.issues }
    for (const code of codes) {
      const verdict = said.issues[code]
      issues[code] = { files: files[code] ?? 0, score: verdict?.score, blockers: verdict?.blockers ?? 0 }
      if (verdict) this.#noteScore(code, verdict.score, verdict.blockers)
    }
    return this.#keep({
      attempt: { ...attempt, tree: said.tree, issues, whole: said.whole, feedback: said.feedback },
      verification,
      challenge: answer.call,
    })
  }

  #noteScore(code: string, score: number, blockers: number): void {
    const floor = this.#task.rules.solvedThreshold
    if (blockers > 0)
      this.#problems.set(code, { class: 'verdict', reason: `${blockers} open blocker(s) of the challenger` })
    else if (score < floor) this.#problems.set(code, { class: 'verdict', reason: `scored ${score}, below ${floor}` })
    else this.#problems.delete(code)
  }

  #keep(judged: Judged): Round {
    this.#judged.push(judged)
    return { kind: 'judged' }
  }

  /** What is committed: whole knots that passed, after one more round for issues that only a knot held back. */
  async #choose(mayTryAgain: boolean): Promise<Judged | undefined> {
    const { rules } = this.#task
    const choices = chooseBest(this.#live(), this.#attempts(), rules)
    let kept = choices.filter(isWholeKnotSolved)
    const heldBack = choices.filter((choice) => !isWholeKnotSolved(choice)).flatMap((choice) => choice.solved)
    if (mayTryAgain && heldBack.length > 0) {
      const before = this.#judged.length
      const iteration = Math.max(...this.#iterations.values()) + 1
      await this.#round('extra', iteration, heldBack, picksOf(kept))
      const extra = this.#judged.slice(before).map(({ attempt }) => attempt)
      kept = [...kept, ...chooseBest(heldBack, extra, rules).filter(isWholeKnotSolved)]
    }
    return await this.#settle(kept)
  }

  /** Takes knots back until the tree that is left has passed every gate as itself. */
  async #settle(chosen: readonly KnotChoice[]): Promise<Judged | undefined> {
    const { rules } = this.#task
    let kept = chosen
    while (kept.length > 0) {
      const judged = await this.#verdictOn(kept)
      if (!judged) return undefined
      const { attempt } = judged
      if (attempt.verification === 'failed') {
        kept = withoutWeakest(kept)
        continue
      }
      const passing = kept.filter(({ knot }) => knot.every((code) => isSolved(code, attempt, rules)))
      if (passing.length === kept.length) {
        if (wholeDiffPasses(attempt, rules)) return judged
        this.#blameWholeDiff(kept, attempt)
        return undefined
      }
      kept = passing
    }
    return undefined
  }

  async #verdictOn(kept: readonly KnotChoice[]): Promise<Judged | undefined> {
    const picks = picksOf(kept)
    const known = this.#judged.findLast(({ attempt }) => samePicks(attempt.picks, picks))
    if (known) return known
    const files: Record<string, number> = {}
    for (const { knot, attempt } of kept) for (const code of knot) files[code] = attempt.issues[code]?.files ?? 0
    const owners = kept.flatMap(({ attempt }) => attempt.owners)
    this.#settled += 1
    const name = `settle${this.#settled}`
    const round = await this.#judgeTree(name, this.#task.rules.maxIterations, picks, files, { tree: '', owners })
    return round.kind === 'judged' ? this.#judged.at(-1) : undefined
  }

  #blameWholeDiff(kept: readonly KnotChoice[], attempt: Attempt): void {
    const reason = `the whole diff scored ${attempt.whole ?? 'nothing'}, below ${this.#task.rules.satisfactionThreshold}`
    for (const code of kept.flatMap(({ knot }) => knot)) this.#problems.set(code, { class: 'verdict', reason })
  }

  async #commit(chosen: Judged, stop: Ending | undefined): Promise<StageResult> {
    let judged = chosen
    const started = this.#ports.now()
    for (let attempt = 1; ; attempt += 1) {
      const codes = judged.attempt.picks.flatMap((pick) => pick.codes)
      const call = this.#call(attempt === 1 ? 'commit' : `commit${attempt}`)
      const outcome = await this.#ports.commit({
        call,
        head: this.#head,
        picks: judged.attempt.picks,
        codes,
        tree: judged.attempt.tree,
        challenge: judged.challenge,
        verified: judged.attempt.verification,
        iteration: attempt,
        at: this.#ports.now(),
        iterations: Object.fromEntries(this.#iterations),
      })
      if (outcome.kind === 'committed') {
        this.#head = outcome.sha
        return this.#result(judged, { sha: outcome.sha, codes: outcome.codes }, stop)
      }
      if (outcome.kind === 'checked_out') {
        const why = `the branch is checked out at ${outcome.where}: switch that checkout to another branch`
        if (this.#ports.now() - started > this.#task.clocks.giveUpAfterSeconds * 1000) {
          return this.#result(undefined, undefined, { class: 'infrastructure', detail: why })
        }
        await this.#ports.wait(`${call}.wait`, why, this.#ports.now() + Math.min(attempt ** 2 * 2, 600) * 1000)
        continue
      }
      const merged = await this.#mergeOnto(outcome.head, judged, codes, attempt)
      if (!merged) return this.#result(undefined, undefined, stop)
      judged = merged
    }
  }

  /** A person committed on the branch: what was chosen is merged onto their commit and judged again as that tree. */
  async #mergeOnto(
    onto: string,
    judged: Judged,
    codes: readonly string[],
    attempt: number,
  ): Promise<Judged | undefined> {
    const name = `merge${attempt}`
    const outcome = await this.#ports.merge({
      call: this.#call(name),
      head: this.#head,
      picks: judged.attempt.picks,
      codes,
      onto,
      at: this.#ports.now(),
    })
    this.#head = onto
    if (outcome.kind === 'conflict') {
      const reason = `conflicts with a commit made on the branch meanwhile, in ${outcome.paths.slice(0, 5).join(', ')}`
      for (const code of codes) this.#problems.set(code, { class: 'verdict', reason })
      return undefined
    }
    const round = await this.#judge(name, this.#task.rules.maxIterations, outcome.work)
    const latest = this.#judged.at(-1)
    if (round.kind === 'stop' || !latest) return undefined
    return await this.#settle(chooseBest(codes, [latest.attempt], this.#task.rules).filter(isWholeKnotSolved))
  }

  #result(
    judged: Judged | undefined,
    commit: { sha: string; codes: readonly string[] } | undefined,
    stop?: Ending,
  ): StageResult {
    const outcomes: Record<string, IssueOutcome> = {}
    for (const code of this.#codes) {
      const iterations = this.#iterations.get(code) ?? 0
      const best = this.#judged.findLast(({ attempt }) => attempt.issues[code]?.score !== undefined)
      const score = (judged ?? best)?.attempt.issues[code]?.score ?? best?.attempt.issues[code]?.score
      if (commit?.codes.includes(code)) {
        outcomes[code] = { status: 'resolved', reason: '', iterations, score, commit: commit.sha }
        continue
      }
      const problem =
        this.#lost.get(code) ?? (stop && { class: stop.class, reason: stop.detail }) ?? this.#problems.get(code)
      outcomes[code] = {
        status: stop && !this.#lost.has(code) ? 'open' : 'failed',
        reason: problem?.reason ?? 'held back by another issue of the same files',
        failure: problem?.class ?? 'verdict',
        iterations,
        score,
      }
    }
    return { head: this.#head, outcomes, commit: commit?.sha, stop }
  }

  #live(): string[] {
    const lost = new Set(this.#lost.keys())
    return this.#codes.filter((code) => !lost.has(code))
  }

  #attempts(): Attempt[] {
    return this.#judged.map(({ attempt }) => attempt)
  }

  #picksOf(work: FixWork): Pick[] {
    const codes = this.#live().filter((code) => (work.issues[code]?.files ?? 0) > 0)
    return codes.length > 0 ? [{ snapshot: work.snapshot, codes }] : []
  }

  #call(name: string): string {
    return `s${this.#task.number}.${name}`
  }
}

function withoutWeakest(kept: readonly KnotChoice[]): KnotChoice[] {
  const strength = ({ knot, attempt }: KnotChoice): number => mean(scoresOf(knot, attempt))
  const weakest = [...kept].sort((a, b) => strength(a) - strength(b))[0]
  return kept.filter((choice) => choice !== weakest)
}
