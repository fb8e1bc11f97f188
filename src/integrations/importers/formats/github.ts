// The alerts of GitHub's code scanning, as its API lists them.

import { z } from 'zod'
import { isJsonObject } from '../../../domain/text/parse-json.ts'
import { findCategory } from '../find-category.ts'
import type { Importer, ResultStatus } from '../importer.ts'
import { isListWith, lenientList, optional, parseWithSchema } from '../parse-with-schema.ts'
import { lookUpSeverity, type SeverityTable } from '../severity-table.ts'

const GithubAlerts = z.array(
  z.object({
    number: z.number(),
    state: optional(z.string()),
    rule: z.object({
      id: optional(z.string()),
      severity: optional(z.string()),
      security_severity_level: optional(z.string()),
      description: optional(z.string()),
      full_description: optional(z.string()),
      tags: lenientList(z.string()),
      help_uri: optional(z.string()),
    }),
    tool: z.object({ name: optional(z.string()) }),
    most_recent_instance: z.object({
      state: optional(z.string()),
      message: optional(z.object({ text: optional(z.string()) })),
      location: optional(
        z.object({
          path: optional(z.string()),
          start_line: optional(z.number()),
          end_line: optional(z.number()),
          start_column: optional(z.number()),
        }),
      ),
    }),
  }),
)
type Alert = z.infer<typeof GithubAlerts>[number]

/** The level of security findings comes first. */
const SEVERITIES: SeverityTable = {
  critical: 'critical',
  high: 'high',
  medium: 'medium',
  low: 'low',
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: 'info',
}

export const github: Importer = {
  recognises: (value) =>
    isListWith(value, ({ rule, most_recent_instance }) => isJsonObject(rule) && isJsonObject(most_recent_instance)),
  read(value) {
    const { data, problems } = parseWithSchema(GithubAlerts, value)
    if (!data) return { problems }
    const results = data.map((alert, index) => {
      const { rule, tool, most_recent_instance: instance } = alert
      const { path, start_line, end_line, start_column } = instance.location ?? {}
      return {
        at: `/${index}`,
        run: 0,
        tool: tool.name || 'GitHub',
        rule: rule.id || 'no-rule',
        message: instance.message?.text || rule.description || rule.id || 'no message',
        ruleText: rule.full_description || rule.description,
        helpUri: rule.help_uri,
        place: path ? { path, line: start_line, endLine: end_line, column: start_column } : undefined,
        severity: lookUpSeverity(SEVERITIES, rule.security_severity_level ?? rule.severity),
        category: findCategory(rule.tags),
        status: toStatus(alert),
        toolId: String(alert.number),
      }
    })
    // The API lists a page at a time, and names what is fixed: absence proves nothing.
    return { results, incomplete: [], covered: [] }
  },
}

function toStatus({ state, most_recent_instance: instance }: Alert): ResultStatus {
  const now = state ?? instance.state ?? 'open'
  if (now === 'dismissed') return 'suppressed'
  return now === 'fixed' ? 'gone' : 'open'
}
