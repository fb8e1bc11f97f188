// Starts a review, or joins the one that reviews the same commits in the same way.
import { checkReview, type ReviewInput } from '../../preflight/check-review.ts'
import type { AppContext } from '../context.ts'
import { createOrJoinSession, MAX_START_ROUNDS, type StartOutcome } from './start-session.ts'

export type { ReviewInput } from '../../preflight/check-review.ts'

export type ReviewStart = Exclude<StartOutcome, { kind: 'done' }>

export async function startOrJoinReview(app: AppContext, input: ReviewInput): Promise<ReviewStart> {
  const report = (text: string): void => app.onProgress(text, 'note')
  for (let round = 1; round <= MAX_START_ROUNDS; round += 1) {
    const preparedAt = new Date()
    const prepared = await checkReview(app, input)
    if (prepared.kind === 'refused') return prepared
    const { settings, obstacle, missingCommands, notes, session } = prepared
    if (obstacle) return obstacle
    if (missingCommands.length > 0)
      return { kind: 'blocked', code: 'command_missing', reason: missingCommands.join('\n  ') }
    if (round === 1) for (const note of notes) report(note)
    const connected = await app.instance.connect(settings)
    await connected.reconcile()
    const work = { store: app.store, connected, prepared: { session, findings: [], obstacle }, preparedAt, report }
    const begun = await createOrJoinSession(work)
    if (begun.kind !== 'again') return 'sessionId' in begun ? { ...begun, settings } : begun
  }
  return { kind: 'blocked', code: 'session_in_the_way', reason: 'reviews of this change ended one after the other' }
}
