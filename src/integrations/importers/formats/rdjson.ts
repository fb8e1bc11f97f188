// The Reviewdog Diagnostic Format as one JSON document.

import { z } from 'zod'
import { isJsonObject } from '../../../domain/text/parse-json.ts'
import type { Importer } from '../importer.ts'
import { isListWith, optional, parseWithSchema } from '../parse-with-schema.ts'
import { lookUpSeverity, type SeverityTable } from '../severity-table.ts'

const Position = optional(z.object({ line: optional(z.number()), column: optional(z.number()) }))
const Source = optional(z.object({ name: optional(z.string()) }))
/** A name, or its number in the format's protocol. */
const RdSeverity = optional(z.union([z.string(), z.number()]))

const RdjsonReport = z.object({
  source: Source,
  severity: RdSeverity,
  diagnostics: z.array(
    z.object({
      message: z.string(),
      location: z.object({
        path: z.string(),
        range: optional(z.object({ start: Position, end: Position })),
      }),
      severity: RdSeverity,
      source: Source,
      code: optional(z.object({ value: optional(z.string()), url: optional(z.string()) })),
    }),
  ),
})

const SEVERITIES: SeverityTable = {
  ERROR: 'high',
  1: 'high',
  WARNING: 'medium',
  2: 'medium',
  INFO: 'low',
  3: 'low',
}

export const rdjson: Importer = {
  recognises(value) {
    if (!isJsonObject(value) || !Array.isArray(value.diagnostics)) return false
    const isDiagnostic = ({ message, location }: Record<string, unknown>) =>
      typeof message === 'string' && isJsonObject(location) && typeof location.path === 'string'
    return value.diagnostics.length === 0 ? isJsonObject(value.source) : isListWith(value.diagnostics, isDiagnostic)
  },
  read(value) {
    const { data, problems } = parseWithSchema(RdjsonReport, value)
    if (!data) return { problems }
    const results = data.diagnostics.map(({ message, location, severity, source, code }, index) => {
      const { start, end } = location.range ?? {}
      const level = String(severity ?? data.severity ?? '').toUpperCase()
      return {
        at: `/diagnostics/${index}`,
        run: 0,
        tool: source?.name ?? data.source?.name ?? 'rdjson',
        rule: code?.value || 'no-rule',
        message,
        helpUri: code?.url || undefined,
        place: { path: location.path, line: start?.line, endLine: end?.line, column: start?.column },
        severity: lookUpSeverity(SEVERITIES, level),
        status: 'open' as const,
      }
    })
    return { results, incomplete: [] }
  },
}
