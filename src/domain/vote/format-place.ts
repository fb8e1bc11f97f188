import type { ReviewFinding } from '../review/finding.ts'

/** `path:45` or `path:45-47`; without a line if the finding has none. */
export function formatPlace({ file, anchor }: Pick<ReviewFinding, 'file' | 'anchor'>): string {
  if (anchor.kind === 'unanchored') return file
  const { line, end_line } = anchor
  return line === end_line ? `${file}:${line}` : `${file}:${line}-${end_line}`
}
