// Caches the commands' results on an untouched commit, for sessions with the same commit, commands and environment.

import { hashJson } from '../../domain/session/idempotency-key.ts'
import { CachedBaseline } from '../../domain/verification/gate-record.ts'
import { loadArtifact, storeArtifact } from '../artifacts.ts'
import type { ActivityContext, Session } from '../context.ts'
import { buildCommandEnvironment } from './run-command.ts'

/** To be changed when the cached data or its origin changes. */
const CACHE_VERSION = 7

function baselineCacheKey(context: ActivityContext, { record, settings }: Session, head: string): string {
  const { commands, setup, timeout_seconds, setup_timeout_seconds, reports } = settings.verification
  const asked = { commands, setup, timeout_seconds, setup_timeout_seconds, reports }
  const place = [
    record.repository_id,
    head,
    context.hostQueue,
    buildCommandEnvironment(context.environment, settings),
    settings.sandbox,
  ]
  return `base.${hashJson([CACHE_VERSION, place, asked, settings.scope.artefacts]).slice(0, 32)}`
}

/** A cached baseline holds for a limited time, because tools outside of the repository may change. */
export async function findCachedBaseline(
  context: ActivityContext,
  session: Session,
  head: string,
  now = Date.now(),
): Promise<CachedBaseline | undefined> {
  const oldest = now - session.settings.verification.base_max_age_seconds * 1000
  const kept = await context.store.artifacts.findLatest('log', baselineCacheKey(context, session, head))
  if (!kept || kept.session_id === session.id) return undefined
  // Artifacts are removed some days after their session.
  const found = await loadArtifact(context, kept.ref, CachedBaseline).catch(() => undefined)
  return found && found.at > oldest && found.at <= now ? found : undefined
}

/** The by-products that this session has cached before its worker died. */
export async function loadCachedByProducts(
  context: ActivityContext,
  session: Session,
  head: string,
): Promise<readonly string[]> {
  const name = baselineCacheKey(context, session, head)
  const [kept] = await context.store.artifacts.listForSession(session.id, { kind: 'log', name })
  return kept ? (await loadArtifact(context, kept.ref, CachedBaseline)).byProducts : []
}

/** Caches only a green baseline: a red one may be an accident, and would then be nobody's fault for a day. */
export async function cacheBaseline(
  context: ActivityContext,
  session: Session,
  head: string,
  found: Pick<CachedBaseline, 'verification' | 'byProducts' | 'leftNothing'>,
): Promise<void> {
  if (!found.verification.every(({ outcome }) => outcome === 'passed')) return
  const results: CachedBaseline = { ...found, session: session.id, at: Date.now() }
  await storeArtifact(context, session.id, 'log', baselineCacheKey(context, session, head), JSON.stringify(results))
}
