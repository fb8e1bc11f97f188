// What a fix stands on, and how its checks are weighed beside that: the session's untouched base for the first stage, and for each later one
// the commit before it, with what that had mended. What passed there may not fail; what failed there is nobody's fault any more.

import { isStrict } from '../../domain/settings/schema.ts'
import {
  type Comparison,
  compareRuns,
  type VerificationRun,
  verdictOfRuns,
} from '../../domain/verification/compare-runs.ts'
import type { Session, Workshop } from '../context.ts'
import { keepGate, readGate, runsOn } from '../gate-records.ts'

/** The call that verified the untouched base, and the name of its record. */
export const BASE = 'base'

/** The name of the record on this commit. */
export function groundOf({ record }: Session, head: string): string {
  return head === record.base_commit ? BASE : `${BASE}.${head}`
}

/** What is known of each command there; where nobody looked, of the untouched base. */
export async function runsOnGround(
  shop: Workshop,
  session: Session,
  ground: string = BASE,
): Promise<readonly VerificationRun[]> {
  const record = (await readGate(shop, session, ground)) ?? (await readGate(shop, session, BASE))
  return record?.verification ?? []
}

export interface Judgement extends Comparison {
  /** Against the work. */
  readonly counts: boolean
}

/** What a run says beside the one on the ground; with `strict` whatever failed counts. */
export async function besideGround(
  shop: Workshop,
  session: Session,
  ground?: string,
): Promise<(run: VerificationRun) => Judgement> {
  const known = await runsOnGround(shop, session, ground)
  const strict = isStrict(session.settings)
  return (run) => {
    const before = known.filter(({ command }) => command === run.command)
    const [comparison] = compareRuns(before, [run]) as [Comparison]
    return { ...comparison, counts: verdictOfRuns([comparison], strict) === 'failed' }
  }
}

interface Committed {
  /** That committed it. */
  readonly call: string
  readonly onto: string
  readonly sha: string
  readonly tree: string
}

/** How the commands came out on what is a commit now, for the stage that comes after it. */
export async function keepGround(
  shop: Workshop,
  session: Session,
  { call, onto, sha, tree }: Committed,
): Promise<void> {
  const runs = [...(await runsOn(shop, session, call, tree)).values()]
  if (runs.length === 0) return
  const before = await runsOnGround(shop, session, groundOf(session, onto))
  const isWavering = ({ command }: VerificationRun) => before.some((run) => run.command === command && run.wavers)
  const verification = runs.map((run) =>
    run.outcome !== 'passed' && isWavering(run) ? { ...run, wavers: true as const } : run,
  )
  const base = await runsOnGround(shop, session)
  const unsure = base.flatMap(({ command, outcome }) => (outcome === 'passed' ? [] : [command]))
  await keepGate(shop, session, groundOf(session, sha), {
    tree,
    verification,
    ...(unsure.length > 0 ? { unsure } : {}),
  })
}

/** The commands that proved something when a call of this stage verified this tree last. */
export async function provenOn(
  shop: Workshop,
  session: Session,
  { call, onto, tree }: Omit<Committed, 'sha'>,
): Promise<string[]> {
  const judge = await besideGround(shop, session, groundOf(session, onto))
  const runs = await runsOn(shop, session, call, tree)
  const commands = await Promise.all(session.settings.verification.commands.map(shop.masking.text))
  return commands.flatMap((command) => {
    const run = runs.get(command)
    if (run?.outcome === 'passed') return [command]
    return run && judge(run).effect === 'no_worse' ? [`${command} (no test newly broken)`] : []
  })
}
