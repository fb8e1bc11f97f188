// What a fix brings into a repository besides the change that was asked for: secrets, many or large files, binaries, names that clash, links,
// files that nothing uses. Each kind has a limit, up to which it is free; beyond it, a person decides, or nobody can let it through.
import { z } from 'zod'
import { formatBytes } from '../text/format-bytes.ts'

const Rule = z.strictObject({
  decision: z.enum(['ask', 'allow', 'reject']),
  /** So many are free in one tree. */
  limit: z.number().int().min(0),
})

export const AdditionRules = z.strictObject({
  /** Files with added lines that hold something like a credential. */
  secrets: Rule,
  new_files: Rule,
  /** Beyond those that were there before. */
  added_bytes: Rule,
  binaries: Rule,
  /** New names that differ from others only in letter case or Unicode form. */
  name_clashes: Rule,
  /** New symbolic links. */
  links: Rule,
  /** New files that are neither tests nor documents, and whose name stands in no other file. */
  unused_files: Rule,
})
export type AdditionRules = z.infer<typeof AdditionRules>
type Kind = keyof AdditionRules

/** A file that the tree adds or changes. */
export interface BroughtFile {
  readonly path: string
  readonly isNew: boolean
  readonly addedBytes: number
  readonly isBinary: boolean
  /** The kinds of secrets in it that the base does not have. Never a secret itself. */
  readonly secrets: readonly string[]
  readonly isNewLink: boolean
  /** A folder stood where the link is. */
  readonly replacesFolder: boolean
  /** Another path that some file system takes for the same. */
  readonly clashesWith?: string | undefined
  readonly isUnused: boolean
}

export interface AdditionFinding {
  readonly decision: 'ask' | 'reject'
  readonly why: string
}

/** Path → what about it has to be decided. A kind counts over the whole tree; beyond its limit, each file of the kind is named, of bytes the largest. */
export function findAdditions(
  files: readonly BroughtFile[],
  rules: AdditionRules,
): ReadonlyMap<string, readonly AdditionFinding[]> {
  const found = new Map<string, AdditionFinding[]>()
  for (const kind of Object.keys(COUNTS) as Kind[]) {
    const { decision, limit } = rules[kind]
    if (decision === 'allow') continue
    const counted = files.map((file) => ({ file, count: COUNTS[kind](file) })).filter(({ count }) => count > 0)
    const total = counted.reduce((sum, { count }) => sum + count, 0)
    if (total <= limit) continue
    const named = kind === 'added_bytes' ? listLargest(counted, total - limit) : counted
    for (const { file } of named) {
      const findings = found.get(file.path) ?? []
      findings.push({ decision, why: describe(kind, file, { total, limit }) })
      found.set(file.path, findings)
    }
  }
  return found
}

interface Counted {
  readonly file: BroughtFile
  readonly count: number
}

/** The largest files, without which the others are at least so much less. */
function listLargest(counted: readonly Counted[], excess: number): readonly Counted[] {
  const largest = counted.toSorted((one, other) => other.count - one.count)
  let left = excess
  return largest.filter(({ count }) => {
    const isNeeded = left > 0
    left -= count
    return isNeeded
  })
}

const COUNTS: Readonly<Record<Kind, (file: BroughtFile) => number>> = {
  secrets: ({ secrets }) => Math.min(secrets.length, 1),
  new_files: ({ isNew }) => Number(isNew),
  added_bytes: ({ addedBytes }) => addedBytes,
  binaries: ({ isBinary }) => Number(isBinary),
  name_clashes: ({ clashesWith }) => Number(clashesWith !== undefined),
  links: ({ isNewLink }) => Number(isNewLink),
  unused_files: ({ isUnused }) => Number(isUnused),
}

function describe(kind: Kind, file: BroughtFile, amount: { readonly total: number; readonly limit: number }): string {
  const { total, limit } = amount
  switch (kind) {
    case 'secrets':
      return `a new secret (${file.secrets.join(', ')})`
    case 'new_files':
      return `one of ${total} new files, more than ${limit}`
    case 'added_bytes':
      return `${formatBytes(file.addedBytes)} of ${formatBytes(total)} added, more than ${formatBytes(limit)}`
    case 'binaries':
      return 'a binary'
    case 'name_clashes':
      return `a name like ${file.clashesWith}`
    case 'links':
      return file.replacesFolder ? 'a folder turned into a link' : 'a new link'
    case 'unused_files':
      return 'a new file that nothing uses'
  }
}
