// The parts of a report's document, in whatever format it is written, and the limits of each format.

/** Plain words, code, a label, or the code of an issue of the report, which a page links. */
export type Inline = string | { readonly code: string } | { readonly strong: string } | { readonly issue: string }
export type InlineLine = readonly Inline[]

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: InlineLine }
  | { readonly kind: 'paragraph'; readonly text: InlineLine }
  | { readonly kind: 'list'; readonly items: readonly InlineLine[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly InlineLine[])[] }
  | { readonly kind: 'fold'; readonly title: InlineLine; readonly language: 'diff' | 'text'; readonly text: string }

export function linkIssues(codes: readonly string[]): Inline[] {
  const { shown, more } = { shown: codes.slice(0, MAX_CODES), more: codes.length - MAX_CODES }
  const links = shown.flatMap((issue, index): Inline[] => (index === 0 ? [{ issue }] : [', ', { issue }]))
  return more > 0 ? [...links, ` and ${more} more`] : links
}

const MAX_CODES = 10

/** The limits: characters of a diff, an output and other words; issues in the table and issues with evidence. */
export interface RenderLimits {
  readonly diff: number
  readonly output: number
  readonly words: number
  readonly rows: number
  readonly evidence: number
}
