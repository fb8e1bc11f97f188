// A repository is known by an id that stays, a name that people type, and the folder where it lies now.
import { z } from 'zod'

const ID = /^repo-[0-9a-f]{16}$/

/** Names are typed, stand in addresses, and are told apart without regard to case. An id is no name. */
export const RepositoryName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
  .refine((name) => !ID.test(name), { error: 'must not look like the id of a repository' })

export const RepositoryRecord = z.object({
  repository_id: z.string(),
  name: z.string(),
  /** The real path of its folder. */
  path: z.string(),
  /** Of the remote that its folder, in the home, is a clone of. */
  url: z.string().optional(),
  /** A commit that it had when it was registered: a folder without it is another repository. */
  known_commit: z.string().optional(),
  /** What the ids of its issues and the keys of its sessions are made from: its id, or the path that an earlier version used. */
  id_seed: z.string(),
  created_at: z.string(),
  /** The sessions of a removed repository stay readable; its name and its folder are free again. */
  removed_at: z.string().optional(),
})
export type RepositoryRecord = z.infer<typeof RepositoryRecord>

export const RepositorySummary = RepositoryRecord.omit({ known_commit: true, id_seed: true, removed_at: true }).extend({
  /** Its folder is not there any more. */
  is_missing: z.boolean(),
})
export type RepositorySummary = z.infer<typeof RepositorySummary>

export function toRepositoryId(bytes: Uint8Array): string {
  return `repo-${Buffer.from(bytes.subarray(0, 8)).toString('hex')}`
}

/** The folder's name, in the letters of names, with a number if it is taken. */
export function suggestRepositoryName(path: string, taken: readonly string[]): string {
  const folder = path.slice(path.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9._-]+/g, '-')
  const cleaned = folder.replace(/^[^A-Za-z0-9]+|-+$/g, '').slice(0, 56)
  const base = RepositoryName.safeParse(cleaned).success ? cleaned : 'repository'
  const used = new Set(taken.map((name) => name.toLowerCase()))
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`
    if (!used.has(name.toLowerCase())) return name
  }
}
