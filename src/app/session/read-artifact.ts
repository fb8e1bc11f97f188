// Locates and reads the artifacts that records name.
import type { Readable } from 'node:stream'
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import type { AppContext } from '../context.ts'

/** Returns a path or an address, or the reference itself if the store has neither. */
export function locateArtifact({ home }: Pick<AppContext, 'home'>, ref: string): string {
  return openArtifactStore(home.artifacts).location(ref) ?? ref
}

/** Returns the whole text, or why it is unreadable: artifacts are deleted some days after their session's end. */
export async function readArtifactOrReason({ home }: Pick<AppContext, 'home'>, ref: string): Promise<string> {
  return await openArtifactStore(home.artifacts)
    .getText(ref)
    .catch((error: Error) => `(${error.message})`)
}

/** Only what the session itself refers to: references are hashes of contents, and other sessions have theirs. */
export async function openSessionArtifact(
  { store, home }: Pick<AppContext, 'store' | 'home'>,
  { session_id }: SessionRecord,
  ref: string,
): Promise<Readable> {
  const [artifacts, calls] = await Promise.all([
    store.artifacts.listForSession(session_id),
    store.agentCalls.listForSession(session_id),
  ])
  const refs = [
    ...artifacts.map((artifact) => artifact.ref),
    ...calls.flatMap(({ prompt_ref, reply_ref, transcript_ref }) => [prompt_ref, reply_ref, transcript_ref]),
  ]
  if (refs.includes(ref)) {
    const content = await openArtifactStore(home.artifacts)
      .get(ref)
      .catch(() => undefined)
    if (content !== undefined) return content
  }
  throw new FixwrightError('artifact_not_found', `session ${session_id} has no artifact ${ref}, or it is gone by now`)
}
