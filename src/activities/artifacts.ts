// Stores content without secrets, linked to its session, and reads it back by schema.
import { rm } from 'node:fs/promises'
import { ApplicationFailure } from '@temporalio/common'
import type { StoredArtifact } from '../artifacts/artifact-store.ts'
import type { ArtifactKind } from '../domain/session/store-records.ts'
import type { ActivityContext } from './context.ts'

/** Stores content without its secrets, links it to the session and returns its reference. */
export async function storeArtifact(
  context: ActivityContext,
  sessionId: string,
  kind: ArtifactKind,
  name: string,
  content: string | { readonly file: string },
  issueCode?: string,
): Promise<string> {
  const { ref } = await putMaskedContent(context, content)
  const about = issueCode === undefined ? {} : { issue_code: issueCode }
  await context.store.artifacts.link({ session_id: sessionId, ref, kind, name, ...about })
  return ref
}

export async function putMaskedContent(
  { artifacts, masking }: ActivityContext,
  content: string | { readonly file: string },
): Promise<StoredArtifact> {
  if (typeof content === 'string') return await artifacts.put(await masking.maskText(content))
  const masked = `${content.file}.masked`
  try {
    return await artifacts.put((await masking.maskFile(content.file, masked)) > 0 ? { file: masked } : content)
  } finally {
    await rm(masked, { force: true })
  }
}

/** Reads the JSON that an earlier step stored, checked by its schema. */
export async function loadArtifact<Value>(
  { artifacts }: Pick<ActivityContext, 'artifacts'>,
  ref: string,
  schema: { parse(value: unknown): Value },
): Promise<Value> {
  const text = await artifacts.getText(ref)
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw ApplicationFailure.nonRetryable(
      `the artifact ${ref} is not what this version stores (${why}): finish the session with the version that began it, or start the same work again`,
    )
  }
}
