// The commands run on what a fix stands on, in a fresh checkout, so that what an agent left behind can't make them fail. Three reasons to:
// what fails here passed on the untouched base when another session looked, and the network, a tool or a service may have broken since;
// it was red on the base and passed only when the commit before was verified, and a test that fails now and then does that by chance;
// and somebody committed on the branch meanwhile, whose work nobody has checked here.
import { ApplicationFailure } from '@temporalio/common'
import { IN_PASSING } from '../../domain/session/events.ts'
import type { VerificationRun } from '../../domain/verification/compare-runs.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { tell } from '../append-events.ts'
import type { Session, Workshop } from '../context.ts'
import { keepGate, readGate } from '../gate-records.ts'
import type { Beat } from '../heartbeat.ts'
import { BASE, groundOf, runsOnGround } from './baseline.ts'
import { runChecks } from './run-checks.ts'

interface Blamed {
  /** What the fix stands on. */
  readonly head: string
  /** What counts against it. */
  readonly commands: readonly string[]
}

/** Before a fix is blamed. Answers whether it was done, which is once: what is found then holds. */
export async function runGroundAgain(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { head, commands }: Blamed,
  beat: Beat,
): Promise<boolean> {
  const call = groundOf(session, head)
  const record = await readGate(shop, session, call)
  const chance = commands.filter((command) => record?.unsure?.includes(command))
  if (!record || (!record.recalled && chance.length === 0)) return false
  const { recalled, unsure, ...kept } = record
  const why = recalled
    ? `what fails here passed on the untouched base for session ${recalled.session}`
    : `what fails here was red on the untouched base, and passed on ${head.slice(0, 10)}`
  const from = recalled ? { from: recalled.session } : {}
  const message = `${why}: it is run there again before a fix is blamed`
  await say(shop, session, `${call}/again`, message, { ...IN_PASSING, ...from })
  const found = await runOn(shop, session, workspace, { head, call }, beat)
  const isGreen = (name: string) => kept.verification?.some((run) => run.command === name && run.outcome === 'passed')
  const verification = found?.map((run) =>
    run.outcome !== 'passed' && isGreen(run.command) ? { ...run, wavers: true as const } : run,
  )
  await keepGate(shop, session, call, { ...kept, ...(verification ? { verification } : {}) })
  return true
}

/** Before a tree is judged that stands on a commit of which nothing is known. Answers with the name of the record. */
export async function knowGround(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  head: string,
  beat: Beat,
): Promise<string> {
  const ground = groundOf(session, head)
  if (ground === BASE || (await readGate(shop, session, ground))) return ground
  const why = `nobody has checked ${head.slice(0, 10)}, which is on the branch now: the checks are run there before a fix is judged beside it`
  await say(shop, session, `${ground}/again`, why, IN_PASSING)
  const found = await runOn(shop, session, workspace, { head, call: ground }, beat)
  await keepGate(shop, session, ground, { tree: '', verification: found ?? (await runsOnGround(shop, session)) })
  return ground
}

/** Undefined where the place can't be set up: in the sandbox, say, a setup has no network any more. */
async function runOn(
  shop: Workshop,
  session: Session,
  workspace: Workspace,
  { head, call }: { readonly head: string; readonly call: string },
  beat: Beat,
): Promise<readonly VerificationRun[] | undefined> {
  const input = { sessionId: session.id, call, head, picks: [], codes: [], iteration: 0, fresh: true } as const
  const checks = await runChecks(shop, session, workspace, { input, tree: head, isGround: true }, beat).catch(
    (error) => {
      beat.signal.throwIfAborted()
      if (error instanceof ApplicationFailure) return error
      throw error
    },
  )
  const where = call === BASE ? 'on the untouched base' : `on ${head.slice(0, 10)}`
  const tell = (message: string, data: object) => say(shop, session, `${call}/again/result`, message, data)
  if (checks instanceof ApplicationFailure) {
    await tell(`it could not be run there again, so that what was known holds: ${checks.message}`, {})
    return undefined
  }
  const runs = checks.verification.map(({ command, outcome }) => ({ command, outcome }))
  const failing = runs.filter(({ outcome }) => outcome !== 'passed')
  const said = failing.map(({ command, outcome }) => `${command}: ${outcome}`).join('; ')
  const message = said ? `${where} it fails now, too · ${said}` : `${where} all of it passes still`
  await tell(message, { ...(said ? {} : IN_PASSING), runs })
  return checks.verification
}

async function say(shop: Workshop, session: Session, key: string, message: string, data: object): Promise<void> {
  await tell(shop, session.id, [{ key, type: 'fix_log', message, data: { ...data } }])
}
