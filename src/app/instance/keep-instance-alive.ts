// Looks after a session that somebody waits for: replaces an instance that died, reports a workflow in trouble, and
// closes a session whose workflow was ended from outside.
import { existsSync, statfsSync } from 'node:fs'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { Home } from '../../runtime/home/home.ts'
import type { AppContext } from '../context.ts'
import { startPolling } from '../start-polling.ts'
import { describeFailedStarts, describeRestart, PAUSES_BEFORE_STARTS_MS } from './failed-starts.ts'
import type { InstanceLink } from './instance-link.ts'

const HEALTH_CHECK_MS = 3_000
/** A folder that is moved may be back in a moment. */
const GONE_MS = 9_000
const HOPELESS_MS = 120_000

export interface KeptWorkflow {
  readonly workflowId: string
  /** Settings for an instance, if one has to be started. */
  readonly settings: Settings
}

export interface KeptInstance {
  /** Aborts with the reason when trouble has lasted so long that nothing more is to be hoped for. */
  readonly hopeless: AbortSignal
  stop(): void
}

/** Runs until it is stopped. A client that is connected is replaced with its instance. */
export async function keepInstanceAlive(
  { instance, home, onProgress }: Pick<AppContext, 'instance' | 'home' | 'onProgress'>,
  { workflowId, settings }: KeptWorkflow,
): Promise<KeptInstance> {
  let current = await instance.reach(settings)
  let judged: InstanceLink | undefined
  let failedStarts = 0
  let pausedUntil = 0
  const hopeless = new AbortController()
  const trouble = followTrouble((text) => onProgress(text, 'note'), hopeless)
  const poll = startPolling(HEALTH_CHECK_MS, async () => {
    const broken = findHomeTrouble(home)
    if (broken !== undefined) return trouble.fail(broken, broken.code === 'home_unusable' ? GONE_MS : HOPELESS_MS)
    try {
      if (current.instance.lost.aborted && !(await replaceInstance())) return
      const health = await current.health(workflowId)
      const problem = health.kind === 'running' ? health.problem : undefined
      if (health.kind === 'ended') await current.reconcile()
      if (health.kind === 'unstarted') return trouble.fail(describeLateStart(health.problem), HOPELESS_MS)
      if (problem === undefined) {
        if (current.instance.isServing()) trouble.pass()
      } else trouble.report(`the session is in trouble: ${problem}`)
    } catch (error) {
      trouble.fail(error as Error, HOPELESS_MS)
    }
  })
  lookWhenLost()
  return { hopeless: hopeless.signal, stop: poll.stop }

  /** Returns whether there is another one. */
  async function replaceInstance(): Promise<boolean> {
    if (current !== judged) {
      judged = current
      failedStarts = current.instance.isServing() ? 0 : failedStarts + 1
      pausedUntil = performance.now() + (PAUSES_BEFORE_STARTS_MS[failedStarts] ?? 0)
    }
    if (failedStarts >= PAUSES_BEFORE_STARTS_MS.length) {
      hopeless.abort(describeFailedStarts(home, failedStarts))
      return false
    }
    if (performance.now() < pausedUntil) return false
    trouble.report(
      failedStarts === 0
        ? `${describeRestart(home, false)}, the session goes on from where it was`
        : describeRestart(home, true),
    )
    try {
      current = await instance.replace(settings)
    } catch (error) {
      failedStarts += 1
      pausedUntil = performance.now() + (PAUSES_BEFORE_STARTS_MS[failedStarts] ?? 0)
      throw error
    }
    lookWhenLost()
    return true
  }

  function lookWhenLost(): void {
    current.instance.lost.addEventListener('abort', () => poll.look(), { once: true })
  }
}

/** Reports each trouble once, and gives up on one that stays. */
function followTrouble(report: (text: string) => void, hopeless: AbortController) {
  let reported: string | undefined
  let failingSince: number | undefined
  const reportOnce = (text: string): void => {
    // The count and the times in it change with every try.
    const kind = text.replace(/\d+/g, '')
    if (kind !== reported) report(text)
    reported = kind
  }
  return {
    report(text: string): void {
      failingSince = undefined
      reportOnce(text)
    },
    fail(error: Error, patienceMs: number): void {
      failingSince ??= performance.now()
      reportOnce(`the session can't be looked after, which is tried again: ${error.message}`)
      if (performance.now() - failingSince >= patienceMs) hopeless.abort(error)
    },
    pass(): void {
      if (reported !== undefined) report('the session goes on')
      reported = undefined
      failingSince = undefined
    },
  }
}

function describeLateStart(problem: string): FixwrightError {
  return new FixwrightError(
    'temporal_unreachable',
    `Temporal has not started the session's workflow: ${problem}. The session is kept for a day, and starts as soon as Temporal takes it while "fixwright up" or the same command runs; "fixwright cancel" forgets it`,
  )
}

/** Less than SQLite, a log and a checkout need for their next write. */
const FULL_BELOW_BYTES = 4 * 2 ** 20

/** Without its home's folder and some space on the disk no session goes on by itself. */
function findHomeTrouble({ path, database }: Home): FixwrightError | undefined {
  if (!existsSync(database)) {
    return new FixwrightError(
      'home_unusable',
      `the folder ${path} is gone, and with it the sessions that it held: put it back, and the same command goes on`,
    )
  }
  const { bavail, bsize } = statfsSync(path)
  if (bavail * bsize >= FULL_BELOW_BYTES) return undefined
  return new FixwrightError(
    'disk_full',
    `the disk of ${path} is full: make room; the session goes on from where it was`,
  )
}
