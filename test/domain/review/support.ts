// A finding as a reviewer reports it, and the files of two commits.
import type { ReportedFinding } from '../../../src/domain/review/finding.ts'
import type { FileContent, PinnedFiles } from '../../../src/domain/review/reviewed-files.ts'

export function reported(fields: Partial<ReportedFinding> & { readonly id: string }): ReportedFinding {
  return {
    file: 'a.py',
    line: '1',
    side: 'new',
    quote: 'one',
    issue: `what ${fields.id} is about`,
    failure: `with an empty list, ${fields.id} fails`,
    effect: 'wrong_result',
    reach: 'realistic',
    origin: 'introduced',
    category: 'clean_code',
    experts: ['language'],
    ...fields,
  }
}

export function pinned(
  files: Readonly<Record<string, string | null>>,
  old: Readonly<Record<string, string | null>> = {},
  renames: PinnedFiles['renames'] = [],
): PinnedFiles {
  return { new: toContents(files), old: toContents(old), renames }
}

function toContents(files: Readonly<Record<string, string | null>>): Map<string, FileContent> {
  return new Map(
    Object.entries(files).map(([path, text]) => [path, text === null ? { kind: 'binary' } : { kind: 'text', text }]),
  )
}
