// The parts of a report's document, in whatever format it is written, and the limits of each format.

/** Plain words, code, or a label. */
export type Inline = string | { readonly code: string } | { readonly strong: string }
export type InlineLine = readonly Inline[]

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: InlineLine }
  | { readonly kind: 'paragraph'; readonly text: InlineLine }
  | { readonly kind: 'list'; readonly items: readonly InlineLine[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly InlineLine[])[] }
  | { readonly kind: 'fold'; readonly title: InlineLine; readonly language: 'diff' | 'text'; readonly text: string }

/** The limits: characters of a diff, an output and other words; issues in the table and issues with evidence. */
export interface RenderLimits {
  readonly diff: number
  readonly output: number
  readonly words: number
  readonly rows: number
  readonly evidence: number
}
