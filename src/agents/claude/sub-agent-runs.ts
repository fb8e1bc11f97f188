// Which sub-agents a call of Claude used, from its stream: each by its type, whether it ended, and what it reported.
import { ANSWER_TOOL } from './read-stream.ts'
import { getContentBlocks, parseClaudeLine } from './stream-schema.ts'

export interface SubAgentRun {
  readonly type: string
  readonly ended: boolean
  readonly failed: boolean
  readonly report: string
}

/** In the order of their start. Only what the call itself started counts, not what a sub-agent did. */
export function readSubAgentRuns(transcript: string): SubAgentRun[] {
  const runs = new Map<string, SubAgentRun>()
  for (const text of transcript.split('\n')) {
    const { line } = parseClaudeLine(text) ?? {}
    if (!line || line.parent_tool_use_id) continue
    for (const block of getContentBlocks(line)) {
      const type = block.input?.subagent_type
      const { id, tool_use_id: ended } = block as { readonly id?: unknown; readonly tool_use_id?: unknown }
      if (block.type === 'tool_use' && block.name !== ANSWER_TOOL && typeof type === 'string' && typeof id === 'string')
        runs.set(id, { type, ended: false, failed: false, report: '' })
      const run = typeof ended === 'string' ? runs.get(ended) : undefined
      if (block.type !== 'tool_result' || run === undefined) continue
      runs.set(`${ended}`, { ...run, ended: true, failed: block.is_error === true, report: toText(block.content) })
    }
  }
  return [...runs.values()]
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}
