// Semgrep's own JSON. Gap: it leaves out what is suppressed in the source, which its SARIF has.

import { z } from 'zod'
import { isJsonObject } from '../../../domain/text/parse-json.ts'
import { findWeaknesses } from '../find-category.ts'
import type { Importer, ReportedResult } from '../importer.ts'
import { lenientList, optional, parseWithSchema } from '../parse-with-schema.ts'
import { lookUpSeverity, type SeverityTable } from '../severity-table.ts'

const Position = optional(z.object({ line: z.number(), col: optional(z.number()) }))

const Result = z.object({
  check_id: z.string(),
  path: z.string(),
  start: Position,
  end: Position,
  extra: z.object({
    message: z.string(),
    severity: z.string(),
    fingerprint: optional(z.string()),
    lines: optional(z.string()),
    is_ignored: optional(z.boolean()),
    metadata: optional(z.looseObject({})),
  }),
})

const SemgrepReport = z.object({
  results: z.array(Result),
  errors: lenientList(z.looseObject({})),
  paths: optional(z.object({ scanned: optional(z.array(z.string())) })),
})

const SEVERITIES: SeverityTable = {
  CRITICAL: 'critical',
  HIGH: 'high',
  ERROR: 'high',
  MEDIUM: 'medium',
  WARNING: 'medium',
  LOW: 'low',
  INFO: 'low',
}

/** Semgrep writes this in place of what only its users with an account get. */
export const NEEDS_LOGIN = 'requires login'

export const semgrep: Importer = {
  recognises(value) {
    if (!isJsonObject(value) || !Array.isArray(value.results)) return false
    const [first] = value.results
    return first === undefined
      ? isJsonObject(value.paths) && 'errors' in value
      : isJsonObject(first) && 'check_id' in first
  },
  read(value) {
    const { data, problems } = parseWithSchema(SemgrepReport, value)
    if (!data) return { problems }
    const incomplete = data.errors.length > 0 ? [`it names ${data.errors.length} errors of its own`] : []
    const covered = data.paths?.scanned?.map((path) => ({ path }))
    return { results: data.results.map(toResult), incomplete, tools: ['Semgrep'], ...(covered ? { covered } : {}) }
  },
}

function toResult({ check_id, path, start, end, extra }: z.infer<typeof Result>, index: number): ReportedResult {
  const { metadata = {}, lines } = extra
  return {
    at: `/results/${index}`,
    run: 0,
    tool: 'Semgrep',
    rule: check_id,
    message: extra.message,
    helpUri: typeof metadata.source === 'string' ? metadata.source : undefined,
    place: {
      path,
      line: start?.line,
      endLine: end?.line,
      column: start?.col,
      snippet: lines === NEEDS_LOGIN ? undefined : lines,
    },
    severity: lookUpSeverity(SEVERITIES, extra.severity.toUpperCase()),
    category: typeof metadata.category === 'string' ? metadata.category : undefined,
    cwes: findWeaknesses(metadata.cwe),
    status: extra.is_ignored ? 'suppressed' : 'open',
    toolId: extra.fingerprint === NEEDS_LOGIN ? undefined : extra.fingerprint,
  }
}
