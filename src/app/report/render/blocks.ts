// What a report's document is made of, whatever format it is written in, and how much there is room for.

/** Words, or what is shown as code, or as a label. */
export type Inline = string | { readonly code: string } | { readonly strong: string }
export type InlineLine = readonly Inline[]

export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: InlineLine }
  | { readonly kind: 'paragraph'; readonly text: InlineLine }
  | { readonly kind: 'list'; readonly items: readonly InlineLine[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly InlineLine[])[] }
  | { readonly kind: 'fold'; readonly title: InlineLine; readonly language: 'diff' | 'text'; readonly text: string }

/** How much of it there is room for: characters of each text, issues in the table, issues with their evidence. */
export interface RenderLimits {
  readonly diff: number
  readonly output: number
  readonly words: number
  readonly rows: number
  readonly evidence: number
}
