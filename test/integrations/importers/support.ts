// Reports as the recorded analysers wrote them, and repositories that are only a list of files.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ImportedFinding,
  type ImportSummary,
  importFindings,
  type RepositoryFiles,
} from '../../../src/integrations/importers/import-findings.ts'
import type { FindingsFormat } from '../../../src/integrations/importers/read-report.ts'
import { RECORDED_ROOT } from './analysers.ts'
import { SAMPLE } from './sample.ts'

export function recorded(name: string): string {
  return readFileSync(join(import.meta.dirname, 'recorded', name), 'utf8')
}

export function filesOf(contents: Readonly<Record<string, string>> = SAMPLE, root = RECORDED_ROOT): RepositoryFiles {
  return {
    root,
    list: async () => Object.keys(contents),
    read: async (paths) => new Map(paths.map((path) => [path, contents[path] ?? ''])),
  }
}

export interface Imported {
  readonly findings: readonly ImportedFinding[]
  readonly summary: ImportSummary
}

export async function importedFrom(
  input: unknown,
  files: RepositoryFiles = filesOf(),
  format: FindingsFormat | 'auto' = 'auto',
): Promise<Imported> {
  const outcome = await importFindings(input, format, files)
  assert.ok(outcome.kind === 'imported' && outcome.summary, JSON.stringify(outcome))
  return { findings: outcome.findings, summary: outcome.summary }
}

export async function problemsOf(input: unknown, format: FindingsFormat | 'auto' = 'auto'): Promise<readonly string[]> {
  const outcome = await importFindings(input, format, filesOf())
  assert.ok(outcome.kind === 'problems', JSON.stringify(outcome))
  return outcome.problems
}
