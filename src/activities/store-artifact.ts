import { rm } from 'node:fs/promises'
import type { Kept } from '../artifacts/artifact-store.ts'
import type { ArtifactKind } from '../domain/session/records.ts'
import type { Workshop } from './context.ts'

/** Keeps a text, without the secrets in it, as the session's own and answers with its reference. */
export async function keep(
  shop: Workshop,
  sessionId: string,
  kind: ArtifactKind,
  name: string,
  content: string | { readonly file: string },
  issueCode?: string,
): Promise<string> {
  const { ref } = await putMasked(shop, content)
  const about = issueCode === undefined ? {} : { issue_code: issueCode }
  await shop.store.artifacts.tie({ session_id: sessionId, ref, kind, name, ...about })
  return ref
}

export async function putMasked(
  { artifacts, masking }: Workshop,
  content: string | { readonly file: string },
): Promise<Kept> {
  if (typeof content === 'string') return await artifacts.put(await masking.text(content))
  const masked = `${content.file}.masked`
  try {
    return await artifacts.put((await masking.file(content.file, masked)) > 0 ? { file: masked } : content)
  } finally {
    await rm(masked, { force: true })
  }
}
