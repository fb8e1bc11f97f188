// What the model thought in a call, from the lines of its stream: each block as it came, a sub-agent's under its own heading.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { getContentBlocks, parseClaudeLine } from './stream-schema.ts'

/** Empty if the model showed nothing; Gemini's stream never does. */
export async function readThinking(stdoutFile: string): Promise<string> {
  const blocks: string[] = []
  for await (const text of createInterface({
    input: createReadStream(stdoutFile),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    // Most lines are results of tools, some of them megabytes.
    if (!text.includes('"thinking"')) continue
    const { line } = parseClaudeLine(text) ?? {}
    if (line?.type !== 'assistant') continue
    const heading = line.parent_tool_use_id ? '[a sub-agent]\n' : ''
    for (const { type, thinking } of getContentBlocks(line))
      if (type === 'thinking' && thinking?.trim()) blocks.push(`${heading}${thinking.trim()}`)
  }
  return blocks.join('\n\n')
}
