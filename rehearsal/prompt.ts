// How a prompt of Fixwright is read back: its data blocks, and who is being asked for what.
// Only whole blocks with matching ids count, outermost first, so text inside a block can't pose as another block.
// Gap: a prompt without a readable `call` block is not ours, whatever else it holds.

import { createHash } from 'node:crypto'
import { z } from 'zod'

const BLOCK = /<(data|trusted) name="([\w-]+)" id="([0-9a-fA-F]+)">\n?([\s\S]*?)\n?<\/\1 id="\3">/g

export const CallBlock = z.looseObject({
  role: z.string(),
  call: z.string().optional(),
  iteration: z.number().int().min(1).default(1),
  codes: z.array(z.string()).default([]),
  purpose: z.string().optional(),
  whole: z.boolean().optional(),
})
export type CallBlock = z.infer<typeof CallBlock>

const ListedIssue = z.looseObject({
  issue_code: z.string(),
  file: z.string().default(''),
  title: z.string().default(''),
})
export type ListedIssue = z.infer<typeof ListedIssue>

/** The blocks of a prompt by name; of two with one name the first counts. */
export function readDataBlocks(prompt: string): Map<string, string> {
  const blocks = new Map<string, string>()
  for (const [, , name = '', , content = ''] of prompt.matchAll(BLOCK)) {
    if (!blocks.has(name)) blocks.set(name, content)
  }
  return blocks
}

export function readCallBlock(prompt: string): CallBlock | undefined {
  if (!prompt.includes('<data name="call"')) return undefined
  const parsed = CallBlock.safeParse(parseJson(readDataBlocks(prompt).get('call')))
  return parsed.success ? parsed.data : undefined
}

/** The issues in a block `issues`. */
export function readIssues(block: string | undefined): ListedIssue[] {
  const parsed = z.array(ListedIssue).safeParse(parseJson(block))
  return parsed.success ? parsed.data : []
}

export function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** A prompt with its data blocks, as Fixwright would write one: for tests and for the bench's bare loop. */
export function writePrompt(call: z.input<typeof CallBlock>, blocks: Readonly<Record<string, unknown>> = {}): string {
  const all = Object.entries({ call, ...blocks })
  const id = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)
  const written = all.map(([name, content]) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    return `<data name="${name}" id="${id}">\n${text}\n</data id="${id}">`
  })
  return `Do what the call block asks for.\n\n${written.join('\n\n')}\n`
}
