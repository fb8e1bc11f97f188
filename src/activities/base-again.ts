// Before a fix is blamed for what passed on the untouched base when another session looked: the base is run here, really, and that holds
// from then on. The network, a tool or a service may have broken since. Once a session, for after that the base is its own; and in a fresh
// checkout, so that what an agent left behind can't make it fail.
import { ApplicationFailure } from '@temporalio/common'
import { IN_PASSING } from '../domain/events.ts'
import type { Workspace } from '../git/workspace.ts'
import type { Beat } from './beating.ts'
import { BASE, keepGate, readGate } from './feedback.ts'
import { runChecks } from './running-checks.ts'
import { type Session, tell, type Workshop } from './workshop.ts'

/** Nothing where the base is this session's own already. */
export async function runBaseAgain(shop: Workshop, session: Session, workspace: Workspace, beat: Beat): Promise<void> {
  const record = await readGate(shop, session, BASE)
  if (!record?.recalled) return
  const { recalled, ...kept } = record
  const say = (key: string, message: string, data = {}) =>
    tell(shop, session.id, [{ key: `${BASE}/${key}`, type: 'fix_log', message, data }])
  const why = `what fails here passed on the untouched base for session ${recalled.session}: it is run there again before a fix is blamed`
  await say('again', why, { ...IN_PASSING, from: recalled.session })
  const head = workspace.base
  const input = { sessionId: session.id, call: BASE, head, picks: [], codes: [], iteration: 0, fresh: true } as const
  const checks = await runChecks(shop, session, workspace, { input, tree: head }, beat).catch((error) => {
    beat.signal.throwIfAborted()
    // A setup that fails: in the sandbox, say, it has no network any more. What is known of the base is all there is then.
    if (error instanceof ApplicationFailure) return error
    throw error
  })
  if (checks instanceof ApplicationFailure) {
    await keepGate(shop, session, BASE, kept)
    await say('again/result', `it could not be run there again, so that what was known holds: ${checks.message}`)
    return
  }
  // Whoever ran it before had it green.
  const verification = checks.verification.map((run) =>
    run.outcome === 'passed' ? run : { ...run, wavers: true as const },
  )
  await keepGate(shop, session, BASE, { ...kept, verification })
  const runs = verification.map(({ command, outcome }) => ({ command, outcome }))
  const failing = runs.filter(({ outcome }) => outcome !== 'passed')
  const said = failing.map(({ command, outcome }) => `${command}: ${outcome}`).join('; ')
  const message = said
    ? `on the untouched base it fails now, too · ${said}`
    : 'on the untouched base all of it passes still'
  await say('again/result', message, { ...(said ? {} : IN_PASSING), runs })
}
