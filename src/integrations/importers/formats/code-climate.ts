// The code quality report of GitLab, which is a part of what Code Climate specifies.

import { z } from 'zod'
import { isJsonObject } from '../../../domain/text/parse-json.ts'
import type { Importer } from '../importer.ts'
import { isListWith, lenientList, optional, parseWithSchema } from '../parse-with-schema.ts'
import { lookUpSeverity, type SeverityTable } from '../severity-table.ts'

/** A line, or one with its column. */
const Edge = optional(
  z.union([z.number(), z.object({ line: optional(z.number()), column: optional(z.number()) })], {
    error: 'must be a line',
  }),
)
const Range = optional(z.object({ begin: Edge, end: Edge }))

const CodeClimateReport = z.array(
  z.object({
    type: optional(z.string()),
    description: z.string(),
    check_name: optional(z.string()),
    engine_name: optional(z.string()),
    fingerprint: optional(z.string()),
    severity: optional(z.string()),
    categories: lenientList(z.string()),
    content: optional(z.object({ body: optional(z.string()) })),
    location: z.object({ path: z.string(), lines: Range, positions: Range }),
  }),
)

const SEVERITIES: SeverityTable = {
  blocker: 'critical',
  critical: 'high',
  major: 'medium',
  minor: 'low',
  info: 'info',
}

export const codeClimate: Importer = {
  recognises: (value) =>
    isListWith(
      value,
      ({ description, location, check_name, fingerprint }) =>
        typeof description === 'string' &&
        isJsonObject(location) &&
        typeof location.path === 'string' &&
        (check_name !== undefined || fingerprint !== undefined),
    ),
  read(value) {
    const { data, problems } = parseWithSchema(CodeClimateReport, value)
    if (!data) return { problems }
    const results = data.map(({ description, location: { path, lines, positions }, ...each }, index) => {
      const begin = toPosition(positions?.begin ?? lines?.begin)
      return {
        at: `/${index}`,
        run: 0,
        tool: each.engine_name || 'Code Climate',
        rule: each.check_name || 'no-rule',
        message: description,
        ruleText: each.content?.body,
        place: { path, ...begin, endLine: toPosition(positions?.end ?? lines?.end).line },
        severity: lookUpSeverity(SEVERITIES, each.severity?.toLowerCase()),
        category: each.categories[0],
        // The format also has measurements, which are no findings.
        status: (each.type ?? 'issue') === 'issue' ? ('open' as const) : ('passed' as const),
        toolId: each.fingerprint || undefined,
      }
    })
    return { results, incomplete: [] }
  },
}

function toPosition(edge: z.infer<typeof Edge>): {
  readonly line?: number | undefined
  readonly column?: number | undefined
} {
  return typeof edge === 'number' ? { line: edge } : (edge ?? {})
}
