// A format's own words for severities. Reports are untrusted: `constructor` is a word, too.
import type { Severity } from '../../domain/issue/issue.ts'

export type SeverityTable = Readonly<Record<string, Severity>>

/** A word that a format does not know is of medium severity. */
export function lookUpSeverity(table: SeverityTable, word: string | number | undefined): Severity {
  const name = String(word ?? '')
  return (Object.hasOwn(table, name) ? table[name] : undefined) ?? 'medium'
}
