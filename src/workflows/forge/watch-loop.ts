// Waits for the end of a pull request: looks, waits longer each time nothing is new, and looks at once when somebody says that something has
// happened. What it is told is never believed, it looks. Pure: the ports do the work.
import type {
  CommentMark,
  ForgeOutcome,
  ForgeRefusal,
  FoundCommands,
  PullLook,
  RecordedLanding,
  SeenPull,
  WatchLabels,
  WatchState,
  WatchSummary,
} from '../../domain/workflow-types/index.ts'
import { untilAllowed } from './create-once.ts'

export interface WatchPorts {
  /** One request. */
  look(tag: string | undefined): Promise<ForgeOutcome<PullLook>>
  record(pull: SeenPull): Promise<ForgeOutcome<RecordedLanding>>
  /** Absent where comments give no commands. */
  readonly commands?:
    | {
        find(mark: CommentMark): Promise<ForgeOutcome<FoundCommands>>
        /** Once, whoever else hears of the comment. */
        start(commentId: number): Promise<void>
        /** False in histories in which comments that could not be read hid all else that was seen. */
        mayFail(): boolean
      }
    | undefined
  /** Until the time is over, or somebody says that something has happened. */
  wait(milliseconds: number): Promise<'time' | 'woken'>
  waitOutLimit(until: number, detail: string): Promise<boolean>
  show(state: WatchState, seen?: { readonly pull: SeenPull; readonly labels: WatchLabels }): void
  now(): number
  hasGrownLong(): boolean
}

export interface WatchPace {
  readonly minMs: number
  readonly maxMs: number
  /** There is no pull request that could end: each commit of the base may be the one. */
  readonly isGitOnly: boolean
}

const GROWTH = 1.5
const DAY_MS = 24 * 3_600_000
/** One that was closed may be opened again. */
const CLOSED_MS = 14 * DAY_MS
/** The clocks of two machines differ a little: what was written just before a watch began counts. */
const CLOCK_MARGIN_MS = 60_000
const TROUBLE_MS = 14 * DAY_MS
/** A number that was mistyped is not there, nor will it be; one that was made a moment ago may not be there yet. */
const NEVER_SEEN_MS = 10 * 60_000

export type WatchStop =
  | { readonly kind: 'ended'; readonly summary: WatchSummary }
  /** Goes on in a new history. */
  | { readonly kind: 'grown'; readonly state: WatchState }

export async function watchUntilEnd(
  ports: WatchPorts,
  pace: WatchPace,
  carried: WatchState | undefined,
): Promise<WatchStop> {
  let state: WatchState = carried ?? { since: ports.now(), pauseMs: pace.minMs, looks: 0, unchanged: 0 }
  for (;;) {
    const end = await lookOnce()
    if (end !== undefined) return { kind: 'ended', summary: { ...end, looks: state.looks, unchanged: state.unchanged } }
    if (ports.hasGrownLong()) return { kind: 'grown', state }
    if ((await ports.wait(state.pauseMs)) === 'woken') state = { ...state, pauseMs: pace.minMs }
  }

  async function lookOnce(): Promise<Pick<WatchSummary, 'end' | 'issues' | 'detail'> | undefined> {
    const looked = await untilAllowed(ports, () => ports.look(state.tag))
    state = { ...state, looks: state.looks + 1 }
    if (looked.kind !== 'done') return noteTrouble(looked)
    if (looked.value.kind === 'unchanged') {
      state = { ...state, trouble: undefined, unchanged: state.unchanged + 1, pauseMs: toLonger(state.pauseMs) }
      ports.show(state)
      return hasBeenClosed() ? { end: 'closed' } : undefined
    }
    const { pull, labels } = looked.value
    const issues = await recordNews(pull)
    // What could not be recorded counts as not seen.
    if (issues !== undefined && issues.kind !== 'done') return noteTrouble(issues)
    // A comment changes the pull request, so nothing is asked for while that is as it was.
    const comments = await startCommands()
    const failed = comments === undefined || comments.kind === 'done' ? undefined : comments
    if (failed && !ports.commands?.mayFail()) return noteTrouble(failed)
    // Without a tag, each look sees all of it, new or not.
    const isNews = pull.tag !== undefined || pull.state !== state.state
    const pauseMs = isNews ? pace.minMs : toLonger(state.pauseMs)
    const closedSince = pull.state === 'closed' ? (state.closedSince ?? ports.now()) : undefined
    state = { ...state, state: pull.state, closedSince }
    const isOver = pull.state === 'merged' || (pace.isGitOnly && issues?.value.left === 0)
    // The tag of before is kept, so the next look sees all of it again.
    if (failed && !isOver) return noteTrouble(failed)
    state = {
      ...{ ...state, tag: pull.tag, trouble: undefined, pauseMs },
      ...(comments?.kind === 'done' ? { comments: comments.value.next } : {}),
    }
    ports.show(state, { pull, labels })
    if (isOver) return { end: 'merged', issues: issues?.value }
    return hasBeenClosed() ? { end: 'closed' } : undefined
  }

  async function recordNews(pull: SeenPull) {
    if (!pace.isGitOnly && pull.state === state.state) return undefined
    return await untilAllowed(ports, () => ports.record(pull))
  }

  async function startCommands() {
    const { commands } = ports
    if (commands === undefined) return undefined
    const since = new Date(state.since - CLOCK_MARGIN_MS).toISOString().replace(/\.\d+/, '')
    const found = await untilAllowed(ports, () => commands.find(state.comments ?? { since, after: 0 }))
    if (found.kind === 'done') for (const id of found.value.ids) await commands.start(id)
    return found
  }

  function noteTrouble(failed: ForgeRefusal | { readonly kind: 'lost'; readonly detail: string }) {
    const code = failed.kind === 'refused' ? failed.code : 'forge_unreachable'
    const since = state.trouble?.since ?? ports.now()
    state = { ...state, trouble: { since, code, detail: failed.detail }, pauseMs: toLonger(state.pauseMs) }
    ports.show(state)
    const patience = state.state === undefined && code === 'forge_refused' ? NEVER_SEEN_MS : TROUBLE_MS
    return ports.now() - since > patience ? { end: 'given_up' as const, detail: failed.detail } : undefined
  }

  function toLonger(pauseMs: number): number {
    return Math.min(pauseMs * GROWTH, pace.maxMs)
  }

  function hasBeenClosed(): boolean {
    return state.closedSince !== undefined && ports.now() - state.closedSince > CLOSED_MS
  }
}
