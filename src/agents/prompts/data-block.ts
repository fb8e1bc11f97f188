// Renders data in a prompt, so that text from a repository, a finding or a reply can never pose as our own words. Gap: each adapter has
// to prevent what its CLI makes of a prompt (`@path`, `/command`).
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

/** A block ends only at a closing line with its prompt's id. If a content holds the given id, another one is derived from it. */
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
