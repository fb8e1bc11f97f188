// `node scripts/record-importer-fixtures.ts [FOLDER]`: records what real analysers report about the sample repository. Tools are
// installed into FOLDER, and those that are there already are used. Needs npm, Python and Go with their registries.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ANALYSERS, installAnalysers, RECORDED_ROOT, runAnalyser } from '../test/integrations/importers/analysers.ts'
import { writeSample } from '../test/integrations/importers/sample.ts'

const RECORDED = join(import.meta.dirname, '../test/integrations/importers/recorded')
const work = mkdtempSync(join(tmpdir(), 'fixwright-record-'))
const tools = resolve(process.argv[2] ?? join(work, 'tools'))

const MAX_KEPT_CHARACTERS = 2_000
/** What differs in each run, or only fills the file. */
const BULK = new Set([
  'help',
  'source_code',
  'profiling_results',
  'skipped_rules',
  'time',
  'endTimeUtc',
  'startTimeUtc',
])

try {
  if (!existsSync(tools)) {
    console.log(`installing the analysers into ${tools}`)
    installAnalysers(tools)
  }
  const root = join(work, 'sample')
  writeSample(root)
  execFileSync('git', ['init', '-q', root])
  for (const [name, command] of Object.values(ANALYSERS).flatMap(({ reports }) => Object.entries(reports))) {
    console.log(name)
    const text = runAnalyser(tools, root, command).replaceAll(root, RECORDED_ROOT)
    const report = dropBulk(JSON.parse(text)) as SarifWithRules
    for (const run of report.runs ?? []) dropUnusedRules(run)
    writeFileSync(join(RECORDED, name), `${JSON.stringify(report, null, 2)}\n`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

function dropBulk(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_KEPT_CHARACTERS ? value.slice(0, MAX_KEPT_CHARACTERS) : value
  if (Array.isArray(value)) return value.map(dropBulk)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !BULK.has(name))
  return Object.fromEntries(kept.map(([name, each]) => [name, dropBulk(each)]))
}

interface SarifWithRules {
  readonly runs?: readonly {
    readonly results: readonly { readonly ruleId: string; readonly ruleIndex?: number }[]
    readonly tool: { readonly driver: { rules?: readonly { readonly id: string }[] } }
  }[]
}

/** Some tools list all rules that they have. Indices have to stay right. */
function dropUnusedRules({ results, tool: { driver } }: NonNullable<SarifWithRules['runs']>[number]): void {
  if (results.some(({ ruleIndex }) => ruleIndex !== undefined)) return
  driver.rules = driver.rules?.filter(({ id }) => results.some(({ ruleId }) => ruleId === id)) ?? []
}
