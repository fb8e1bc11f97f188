// The analysers that npm and PyPI have, installed and run: what they write about the sample repository is taken as their recorded reports are.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ANALYSERS, installAnalysers, RECORDED_ROOT, runAnalyser } from '../integrations/importers/analysers.ts'
import { SAMPLE, writeSample } from '../integrations/importers/sample.ts'
import { filesOf, importedFrom, recorded } from '../integrations/importers/support.ts'

const MINUTES = 60_000

/** FIXWRIGHT_ANALYSERS=FOLDER uses what scripts/record-importer-fixtures.ts has installed there. */
const INSTALLED = process.env.FIXWRIGHT_ANALYSERS

test('analysers that are installed and run write what was recorded of them, and it is taken in the same way', {
  timeout: 10 * MINUTES,
}, async (t) => {
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'fixwright-analysers-')))
  t.after(() => rmSync(work, { recursive: true, force: true }))
  const names = Object.keys(ANALYSERS).filter((name) => ANALYSERS[name]?.from !== 'go')
  const tools = INSTALLED ?? join(work, 'tools')
  if (INSTALLED === undefined) installAnalysers(tools, names)
  const root = join(work, 'sample')
  writeSample(root)
  execFileSync('git', ['init', '-q', root])
  for (const [report, command] of names.flatMap((name) => Object.entries(ANALYSERS[name]?.reports ?? {}))) {
    const then = await importedFrom(recorded(report), filesOf(SAMPLE, RECORDED_ROOT))
    const now = await importedFrom(runAnalyser(tools, root, command), filesOf(SAMPLE, root))
    assert.deepEqual(now.findings.map(toLine).sort(), then.findings.map(toLine).sort(), report)
    assert.deepEqual(
      { ...now.summary, tools: [...now.summary.tools] },
      { ...then.summary, tools: [...then.summary.tools] },
    )
  }
})

type Imported = Awaited<ReturnType<typeof importedFrom>>['findings'][number]

function toLine({ finding }: Imported): string {
  const { issue_code, file, line, severity, title } = finding
  return [issue_code, file, line, severity, title].join(' ')
}
