// Locates and reads the artifacts that records name.
import type { Readable } from 'node:stream'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'

type ArtifactContext = Pick<AppContext, 'home'> & Partial<Pick<AppContext, 'env'>>

/** Returns a path or an address, or the reference itself if the store has neither. */
export function locateArtifact(app: ArtifactContext, ref: string): string {
  return openHomeArtifacts(app).location(ref) ?? ref
}

/** Returns the whole text, or why it is unreadable: artifacts are deleted some days after their session's end. */
export async function readArtifactOrReason(app: ArtifactContext, ref: string): Promise<string> {
  return await openHomeArtifacts(app)
    .getText(ref)
    .catch((error: Error) => `(${error.message})`)
}

/** Only what the session itself refers to: references are hashes of contents, and other sessions have theirs. */
export async function openSessionArtifact(
  app: Pick<AppContext, 'store'> & ArtifactContext,
  { session_id }: SessionRecord,
  ref: string,
): Promise<Readable> {
  const { store } = app
  const [artifacts, calls] = await Promise.all([
    store.artifacts.listForSession(session_id),
    store.agentCalls.listForSession(session_id),
  ])
  const refs = [
    ...artifacts.map((artifact) => artifact.ref),
    ...calls.flatMap(({ prompt_ref, reply_ref, transcript_ref }) => [prompt_ref, reply_ref, transcript_ref]),
  ]
  if (refs.includes(ref)) {
    const content = await openHomeArtifacts(app)
      .get(ref)
      .catch((error: unknown) => {
        if (error instanceof FixwrightError) throw error
        return undefined
      })
    if (content !== undefined) return content
  }
  throw new FixwrightError('artifact_not_found', `session ${session_id} has no artifact ${ref}, or it is gone by now`)
}
