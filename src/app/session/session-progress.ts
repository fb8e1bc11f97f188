// What a running session is doing at this moment, from its events so far: for the last line of a terminal, `status` and its JSON.
import type { SessionEvent } from '../../domain/session/events/index.ts'
import type { AppContext } from '../context.ts'

export interface ProgressReport {
  /** In a word or a few: `fixing`, `verifying`, `waiting`. */
  readonly doing: string
  /** The role of the agent that is at work. */
  readonly agent: string | null
  /** The issues that this is about; none for all of them. */
  readonly codes: readonly string[]
  readonly since: string
  /** What the agent used last, as in `Edit src/cart.ts`. */
  readonly last_tool: string | null
  /** Of that use, if it is about a file. */
  readonly last_path: string | null
  readonly last_event_at: string
  /** The batch of the plan that was begun last. */
  readonly batch: BatchPlace | null
  /** The lanes that have a batch, in sessions with several: by their numbers. */
  readonly lanes: readonly LaneProgress[]
  readonly issues: IssueCounts
  readonly cost_usd: number
  readonly cost_partial: boolean
  readonly tokens: number
}

interface BatchPlace {
  readonly number: number
  readonly of: number
  readonly label: string
}

export interface LaneProgress
  extends Pick<ProgressReport, 'doing' | 'agent' | 'codes' | 'since' | 'last_tool' | 'last_path'> {
  readonly lane: number
  readonly batch: BatchPlace
  /** 1 for the first fix. */
  readonly attempt: number
  /** It has passed, and waits for its turn on the branch. */
  readonly lands: boolean
}

/** `judged`: fixed in the tree, and not committed yet. */
type IssuePhase = 'to_come' | 'in_work' | 'judged' | 'resolved' | 'failed' | 'skipped'

export interface IssueCounts extends Readonly<Record<IssuePhase, number>> {
  readonly total: number
}

export interface ProgressReader {
  /** Reads what is new; undefined before the session's first event. */
  refresh(): Promise<ProgressReport | undefined>
}

const PAGE = 1000

export function readProgress({ store }: Pick<AppContext, 'store'>, sessionId: string): ProgressReader {
  const tracker = createProgressTracker()
  let seen = 0
  return {
    async refresh() {
      for (let page: readonly SessionEvent[]; ; ) {
        page = await store.events.listAfter(sessionId, seen, PAGE)
        page.forEach(tracker.add)
        seen = page.at(-1)?.seq ?? seen
        if (page.length < PAGE) break
      }
      const state = tracker.state()
      if (state === undefined) return undefined
      const session = await store.sessions.get(sessionId)
      const { cost_usd, cost_partial = false, tokens } = await store.agentCalls.sumSpending(sessionId)
      const { issues, ...now } = state
      return { ...now, issues: countIssues(issues, session?.issues_requested ?? 0), cost_usd, cost_partial, tokens }
    },
  }
}

function countIssues(phases: ReadonlyMap<string, IssuePhase>, total: number): IssueCounts {
  const counts = { to_come: 0, in_work: 0, judged: 0, resolved: 0, failed: 0, skipped: 0 }
  for (const phase of phases.values()) counts[phase] += 1
  const begun = phases.size - counts.to_come
  return { ...counts, to_come: Math.max(total - begun, 0), total }
}

interface Activity extends Pick<ProgressReport, 'doing' | 'agent' | 'codes' | 'since'> {
  readonly lane?: number | undefined
  readonly last_tool?: Pick<ProgressReport, 'last_tool' | 'last_path'>
}

interface LaneState extends Pick<LaneProgress, 'batch' | 'attempt'> {
  /** The issues of its batch. */
  readonly codes: readonly string[]
  own: Activity
  lands: boolean
  /** Those that its challenge under way has not approved yet. */
  unapproved?: Set<string>
  /** The challenger has approved some of them. */
  isApproved?: true
  /** It has a question for a person. */
  asks?: boolean
}

/** What a lane says of itself between two of its steps. It stays so while something holds the next one back. */
const BETWEEN_STEPS = ['looking at the changes', 'going on']
/** Waits that hold the next step of every lane back, not only of the one that they are on record for. */
const WAITS_OF_ALL: readonly string[] = ['limit', 'pause']

const NO_TOOL = { last_tool: null, last_path: null }

const ROLES: Readonly<Record<string, string>> = {
  clarifier: 'looking for what is unclear',
  planner: 'planning',
  fix_challenger: 'challenging',
  'git-branch-creator': 'naming the branch',
  'git-committer': 'wording the commits',
}

function createProgressTracker() {
  const issues = new Map<string, IssuePhase>()
  const calls = new Map<string, Activity>()
  let batches: readonly { readonly label: string; readonly codes: readonly string[] }[] = []
  let batch: ProgressReport['batch'] = null
  const lanes = new Map<number, LaneState>()
  /** What is done besides agent calls. */
  let own: Activity | undefined
  /** Waits under way, by their lanes. */
  const waits = new Map<number | undefined, { readonly kind: string; readonly activity: Activity }>()
  let isChallenged = false
  let lastAt = ''

  function add(event: SessionEvent): void {
    lastAt = event.timestamp
    const phase = (codes: readonly string[], to: IssuePhase) => {
      for (const code of codes) issues.set(code, to)
    }
    const { lane } = event.data
    const state = lane === undefined ? undefined : lanes.get(lane)
    const begin = (doing: string, codes: readonly string[] = []) => {
      own = { doing, agent: null, codes, since: event.timestamp }
      if (state) Object.assign(state, { own: { ...own, codes: state.codes }, lands: false })
    }
    /** It stays so until its next step begins. */
    const awaitTurn = () => {
      if (!state) return
      begin('passed, waits to land')
      state.lands = true
    }
    switch (event.type) {
      case 'fix_session_started':
        begin('opening')
        break
      case 'fix_plan_ready':
        batches = event.data.batches.map(({ label, steps }) => ({ label, codes: steps.flat() }))
        begin('preparing')
        break
      case 'fix_batch_started': {
        const { codes, label } = event.data
        phase(codes, 'in_work')
        const place = batches.findIndex((each) => each.codes.includes(codes[0] ?? ''))
        batch = { number: place + 1, of: batches.length, label: batches[place]?.label ?? label }
        begin('fixing', codes)
        if (lane !== undefined && own)
          lanes.set(lane, { batch, attempt: event.data.iteration, codes, own, lands: false })
        break
      }
      case 'fix_batch_completed':
        phase(event.data.codes, event.data.files.length > 0 ? 'judged' : 'in_work')
        begin('looking at the changes', event.data.codes)
        break
      case 'fix_call_started': {
        const { role, call, attempt, codes } = event.data
        const activity = { doing: ROLES[role] ?? 'fixing', agent: role, codes, since: event.timestamp, lane }
        if (state) state.lands = false
        calls.set(`${call}/${attempt}`, activity)
        break
      }
      case 'fix_call_completed':
        calls.delete(`${event.data.call}/${event.data.attempt}`)
        begin('going on')
        break
      case 'fix_issue_streaming':
        if (event.data.kind === 'tool') noteTool(event.data, lane)
        break
      case 'fix_verification_started':
        begin('verifying')
        break
      case 'fix_verification_result':
        begin('going on')
        if (event.data.fresh && event.data.verdict === 'passed' && event.data.only === undefined) {
          if (!isChallenged || state?.isApproved) awaitTurn()
        }
        break
      case 'fix_challenger_evaluating':
        isChallenged = true
        if (state) state.unapproved = new Set(event.data.codes)
        break
      case 'fix_challenger_result':
        if (!state || !('solved' in event.data) || !event.data.solved) break
        state.isApproved = true
        state.unapproved?.delete(event.issue_code ?? '')
        if (state.unapproved?.size === 0) awaitTurn()
        break
      case 'fix_scope_violation':
        if (state) state.asks = event.data.outside.length > 0
        break
      case 'fix_scope_decided':
        if (state) state.asks = false
        break
      case 'fix_issue_committed':
        phase(event.data.codes, 'resolved')
        leave(event.data.codes)
        break
      case 'fix_issue_failed':
      case 'fix_issue_skipped':
        phase(
          event.issue_code === undefined ? [] : [event.issue_code],
          event.type === 'fix_issue_failed' ? 'failed' : 'skipped',
        )
        break
      case 'fix_waiting':
        begin(`waiting for ${event.data.reason}`)
        if (own) waits.set(lane, { kind: event.data.kind, activity: own })
        break
      case 'fix_resumed':
        waits.delete(lane)
        begin('going on')
        break
    }
  }

  /** The lane that committed these issues has a batch no more. */
  function leave(codes: readonly string[]): void {
    for (const [number, state] of lanes) if (state.codes.some((code) => codes.includes(code))) lanes.delete(number)
  }

  /** Calls of one lane run one after another, so the tool is the latest call's. */
  function noteTool(
    { text, path }: { readonly text: string; readonly path?: string | undefined },
    lane?: number,
  ): void {
    const [key, call] = [...calls].findLast(([, each]) => each.lane === lane) ?? []
    if (key && call) calls.set(key, { ...call, last_tool: { last_tool: text, last_path: path ?? null } })
  }

  function state() {
    const current = [...calls.values()].at(-1) ?? own
    if (current === undefined) return undefined
    const { last_tool = NO_TOOL, lane: _, ...activity } = current
    return { ...activity, ...last_tool, last_event_at: lastAt, batch, lanes: listLanes(), issues }
  }

  function listLanes(): readonly LaneProgress[] {
    return [...lanes]
      .toSorted(([one], [other]) => one - other)
      .map(([number, state]) => {
        const { batch, attempt, codes, own, lands } = state
        const call = [...calls.values()].findLast(({ lane }) => lane === number)
        const { doing, agent, since, last_tool = NO_TOOL } = call ?? findHold(state) ?? own
        return { lane: number, batch, attempt, doing, agent, codes, since, ...last_tool, lands }
      })
  }

  /** What another lane waits for, if that holds this one's next step back, too. */
  function findHold({ own, asks }: LaneState): Activity | undefined {
    if (!BETWEEN_STEPS.includes(own.doing)) return undefined
    for (const [lane, { kind, activity }] of waits) {
      if (WAITS_OF_ALL.includes(kind)) return activity
      if (kind === 'scope' && asks) return { ...own, doing: `waiting to ask until lane ${lane} has its answer` }
    }
    return undefined
  }

  return { add, state }
}
