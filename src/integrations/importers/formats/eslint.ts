// ESLint's own JSON.
import { z } from 'zod'
import type { Importer, ReportedResult } from '../importer.ts'
import { isListWith, lenientList, optional, parseWithSchema } from '../parse-with-schema.ts'

const Message = z.object({
  ruleId: optional(z.string()),
  severity: z.number(),
  fatal: optional(z.boolean()),
  message: z.string(),
  line: optional(z.number()),
  endLine: optional(z.number()),
  column: optional(z.number()),
  suggestions: lenientList(z.object({ desc: optional(z.string()) })),
})
type Message = z.infer<typeof Message>

const EslintReport = z.array(
  z.object({ filePath: z.string(), messages: z.array(Message), suppressedMessages: lenientList(Message) }),
)

export const eslint: Importer = {
  recognises: (value) => isListWith(value, (file) => typeof file.filePath === 'string' && Array.isArray(file.messages)),
  read(value) {
    const { data, problems } = parseWithSchema(EslintReport, value)
    if (!data) return { problems }
    const results = data.flatMap(({ filePath, messages, suppressedMessages }, file) => [
      ...messages.map((each, index) => toResult(each, filePath, `/${file}/messages/${index}`, false)),
      ...suppressedMessages.map((each, index) =>
        toResult(each, filePath, `/${file}/suppressedMessages/${index}`, true),
      ),
    ])
    const unparsed = data.filter(({ messages }) => messages.some(({ fatal }) => fatal)).length
    const incomplete = unparsed > 0 ? [`it could not parse ${unparsed} of the files`] : []
    return { results, incomplete, tools: ['ESLint'], covered: data.map(({ filePath: path }) => ({ path })) }
  },
}

function toResult(message: Message, path: string, at: string, isSuppressed: boolean): ReportedResult {
  const { ruleId, severity, fatal = false, line, endLine, column, suggestions } = message
  // ESLint tells about the run itself, such as that a file is ignored, in a message without rule and line.
  const isAboutRun = ruleId === undefined && !fatal && line === undefined
  return {
    at,
    run: 0,
    tool: 'ESLint',
    rule: ruleId ?? (fatal ? 'parse-error' : 'no-rule'),
    message: message.message,
    place: { path, line, endLine, column },
    severity: fatal || severity === 2 ? 'high' : severity === 1 ? 'medium' : 'info',
    suggestedFix: suggestions[0]?.desc,
    status: isSuppressed ? 'suppressed' : isAboutRun ? 'passed' : 'open',
  }
}
