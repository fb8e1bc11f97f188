// Data in a prompt. A block ends only at a closing line that carries its prompt's id, which no content can hold: where it
// does, another id is drawn from it. So what a repository, a finding or a reply says can never pose as our own words.
// Gap: what a CLI itself makes of a prompt (`@path`, `/command`) is its adapter's to prevent.
import { createHash } from 'node:crypto'

export interface DataBlock {
  readonly name: string
  readonly content: string
}

export function jsonBlock(name: string, value: unknown): DataBlock {
  return { name, content: JSON.stringify(value, null, 1) }
}

/** Lone surrogates become U+FFFD here, as they would on their way to the CLI. */
export function textBlock(name: string, text: string): DataBlock {
  return { name, content: text.toWellFormed() }
}

/** The id for these blocks: the one given, or, should a content hold that, one drawn from it. */
export function chooseBlockId(id: string, blocks: readonly DataBlock[]): string {
  if (!/^[0-9a-f]{16,}$/.test(id)) throw new RangeError(`a block's id is 16 or more hexadecimal digits, not "${id}"`)
  let safe = id
  while (blocks.some(({ content }) => content.includes(safe))) {
    safe = createHash('sha256').update(safe).digest('hex').slice(0, id.length)
  }
  return safe
}

export function renderBlock({ name, content }: DataBlock, id: string): string {
  return `<data name="${name}" id="${id}">\n${content}\n</data id="${id}">`
}
