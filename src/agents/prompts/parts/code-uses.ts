// Renders the lines in which changed names are used, tests first: who calls them, and what tests them.
import { cutLine } from '../shorten.ts'

export interface CodeUse {
  readonly name: string
  readonly path: string
  readonly line: number
  readonly text: string
}

const MAX_USE_LENGTH = 200

export function renderCodeUses(uses: readonly CodeUse[]): string {
  const byName = Map.groupBy(uses, ({ name }) => name)
  return [...byName]
    .map(([name, own]) => {
      const lines = own.map(({ path, line, text }) => `  ${path}:${line}  ${cutLine(text.trim(), MAX_USE_LENGTH)}`)
      return [name, ...lines].join('\n')
    })
    .join('\n')
}
