// What imports do to the issues of a repository: reports are made from the files of a repository in memory, as a tool would make them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FoundResult, ImportCounts, KnownIssue } from '../../../src/domain/import/import-record.ts'
import { countEffects, type ImportScope, planImport } from '../../../src/domain/import/plan-import.ts'
import type { IssueStatus } from '../../../src/domain/issue/issue.ts'
import { IssueRecord } from '../../../src/domain/session/store-records.ts'
import { importFindings } from '../../../src/integrations/importers/import-findings.ts'
import { filesOf } from '../../integrations/importers/support.ts'

type Files = Readonly<Record<string, readonly string[]>>

const WHOLE: ImportScope = { wholeTools: new Set(['eslint']), covered: undefined, contains: () => true }

/** A finding for each line with `eval`, as often as it stands there. */
async function report(files: Files, order: (results: object[]) => object[] = (all) => all): Promise<FoundResult[]> {
  const contents = Object.fromEntries(Object.entries(files).map(([file, lines]) => [file, lines.join('\n')]))
  const list = Object.entries(files).map(([file, lines]) => ({
    filePath: `/repo/${file}`,
    messages: order(
      lines.flatMap((text, index) =>
        [...text.matchAll(/eval/g)].map(() => ({ ruleId: 'no-eval', severity: 2, message: 'no', line: index + 1 })),
      ),
    ),
  }))
  const read = await importFindings(JSON.stringify(order(list)), 'eslint', filesOf(contents, '/repo'))
  assert.ok(read.kind === 'imported')
  return read.findings.map(({ finding, origin }) => {
    const { tool = '', rule = '', fingerprint = '', codeHash: code_hash = '', toolId: tool_id } = origin ?? {}
    return { finding, origin: { tool, rule, fingerprint, code_hash, tool_id, weaknesses: [] }, status: 'open' }
  })
}

/** The issues after an import, as the store leaves them. */
function apply(known: readonly KnownIssue[], found: readonly FoundResult[], scope = WHOLE) {
  const effects = planImport(known, [], found, scope)
  const after = new Map(known.map((each) => [each.issue.issue_id, each]))
  for (const effect of effects) {
    if (effect.kind === 'created') {
      const issue_id = `${after.size}`
      after.set(issue_id, makeKnown(effect.found, issue_id))
    } else if (effect.kind === 'updated' || effect.kind === 'reopened') {
      const { issue, origin } = effect.known
      const status = effect.kind === 'reopened' ? 'open' : issue.status
      const refreshed = { ...issue, ...effect.found.finding, issue_code: issue.issue_code, status }
      after.set(issue.issue_id, { issue: refreshed, origin: { ...origin, ...effect.found.origin } })
    } else if (effect.kind === 'closed' && effect.known) {
      const { issue, origin } = effect.known
      after.set(issue.issue_id, {
        issue: { ...issue, status: 'resolved' },
        origin: { ...origin, closed_by: 'imp' },
        closed_commit: 'c',
      })
    }
  }
  return { counts: countEffects(effects), known: [...after.values()] }
}

function makeKnown({ finding, origin }: FoundResult, issue_id: string, more: Partial<IssueRecord> = {}): KnownIssue {
  const times = { created_at: 't', updated_at: 't' }
  const place = { repository_id: 'r', repository: '/repo', task_id: 't', status: 'open', version: 1 }
  const issue = IssueRecord.parse({ ...finding, issue_id, ...place, fix_files_modified: [], ...times, ...more })
  return { issue, origin: { ...origin, issue_id, category: '', import_id: 'imp' } }
}

function some(counts: Partial<ImportCounts>): ImportCounts {
  return { created: 0, updated: 0, unchanged: 0, reopened: 0, closed: 0, ignored: 0, duplicate: 0, ...counts }
}

/** Files whose code differs, with findings that are alike within a file, also on one line. */
const anyFiles = fc
  .array(fc.array(fc.constantFrom('a()', 'b()', 'eval(x)', 'eval(x); eval(x)', 'eval(y)'), { maxLength: 8 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((all) => Object.fromEntries(all.map((lines, n) => [`src/f${n}.js`, lines.map((line) => `${line} // f${n}`)])))

test('an import of the same report, in whatever order, changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(anyFiles, fc.infiniteStream(fc.nat()), async (files, numbers) => {
      const first = apply([], await report(files))
      const shuffle = (all: object[]) =>
        all
          .map((each) => [numbers.next().value, each] as const)
          .sort(([a], [b]) => a - b)
          .map(([, each]) => each)
      const again = apply(first.known, await report(files, shuffle))
      assert.deepEqual(again.counts, some({ unchanged: first.counts.created }))
    }),
    { numRuns: 60 },
  )
})

test('lines inserted above findings, and renamed files, leave every issue what it was', async () => {
  await fc.assert(
    fc.asyncProperty(anyFiles, fc.integer({ min: 1, max: 60 }), async (files, count) => {
      const first = apply([], await report(files))
      const above = Array.from({ length: count }, (_, n) => `inserted(${n})`)
      const later = Object.fromEntries(Object.entries(files).map(([file, lines]) => [file, [...above, ...lines]]))
      const moved = apply(first.known, await report(later))
      assert.deepEqual(moved.counts, some({ updated: first.counts.created }))
      const single = Object.fromEntries(Object.entries(later).map(([file, lines]) => [file, unique(lines)]))
      const before = apply([], await report(single))
      const renamed = Object.fromEntries(Object.entries(single).map(([file, lines]) => [`lib/${file}`, lines]))
      assert.deepEqual(apply(before.known, await report(renamed)).counts, some({ updated: before.counts.created }))
    }),
    { numRuns: 40 },
  )
})

function unique(lines: readonly string[]): string[] {
  return lines.map((line, index) => line.replace('eval(x); eval(x)', 'eval(x)').replace('(', `(${index}, `))
}

test('what is gone from a whole report is closed, and comes back as regressed; as many as there are, no others', async () => {
  await fc.assert(
    fc.asyncProperty(anyFiles, fc.nat(), async (files, at) => {
      const first = apply([], await report(files))
      const names = Object.keys(files)
      const name = names[at % names.length]!
      const fixed = { ...files, [name]: files[name]!.map((line) => line.replaceAll('eval', 'safe')) }
      const count = files[name]!.join().split('eval').length - 1
      const gone = apply(first.known, await report(fixed))
      assert.deepEqual(gone.counts, some({ closed: count, unchanged: first.counts.created - count }))
      const back = apply(gone.known, await report(files))
      assert.deepEqual(back.counts, some({ reopened: count, unchanged: first.counts.created - count }))
      const partial = { ...WHOLE, wholeTools: new Set<string>() }
      assert.equal(apply(first.known, await report(fixed), partial).counts.closed, 0)
      const others = { ...WHOLE, covered: new Set(names.filter((each) => each !== name)) }
      assert.equal(apply(first.known, await report(fixed), others).counts.closed, 0)
    }),
    { numRuns: 40 },
  )
})

test('a status decides what a report may do to an issue', async () => {
  const [found] = await report({ 'a.js': ['eval(x)'] })
  assert.ok(found)
  const judge = (status: IssueStatus, kind: FoundResult['status'], more: Partial<IssueRecord> = {}, has = true) => {
    const known = makeKnown(found, 'i', { status, ...more })
    const [effect] = planImport([known], [], [{ ...found, status: kind }], { ...WHOLE, contains: () => has })
    return effect?.kind
  }
  const fix = { fix_commit_sha: 'abc' }
  assert.equal(judge('resolved', 'open', fix), 'reopened')
  assert.equal(judge('merged', 'open', fix), 'reopened')
  assert.equal(judge('resolved', 'open', fix, false), 'unchanged', 'the report is older than the fix')
  assert.equal(judge('resolved', 'open'), 'unchanged', 'a person resolved it')
  const closed = makeKnown(found, 'i', { status: 'resolved' })
  const open = makeKnown(found, 'i')
  for (const [has, back, gone] of [
    [true, 'reopened', 'closed'],
    [false, 'unchanged', undefined],
  ] as const) {
    const scope = { ...WHOLE, contains: (commit: string) => has && commit === 'later' }
    const byImport = { ...closed, origin: { ...closed.origin, closed_by: 'imp' }, closed_commit: 'later' }
    assert.equal(planImport([byImport], [], [found], scope)[0]?.kind, back)
    assert.equal(planImport([{ ...open, seen_commit: 'later' }], [], [], scope)[0]?.kind, gone)
  }
  for (const status of ['ignored', 'duplicate', 'in_progress'] as const) {
    assert.deepEqual(
      [judge(status, 'open'), judge(status, 'suppressed'), judge(status, 'gone')],
      ['unchanged', 'unchanged', 'unchanged'],
    )
  }
  assert.deepEqual([judge('open', 'suppressed'), judge('failed', 'suppressed')], ['ignored', 'ignored'])
  assert.deepEqual([judge('open', 'gone'), judge('failed', 'open')], ['closed', 'unchanged'])
  assert.deepEqual(planImport([makeKnown(found, 'i', { status: 'in_progress' })], [], [], WHOLE), [])
})

test('of findings that are alike, those that are left are recognised before one that is done', async () => {
  const found = await report({ 'a.js': ['eval(x); eval(x)'] })
  const [done, left] = [
    makeKnown(found[0]!, 'done', { status: 'resolved', fix_commit_sha: 'abc' }),
    makeKnown(found[1]!, 'left'),
  ]
  const effects = planImport([done, left], [], [found[0]!], WHOLE)
  assert.deepEqual(effects, [{ kind: 'unchanged', known: left }])
})

test('what another tool has reported at the same place is a duplicate of it, unless that one is done', async () => {
  const [plain] = await report({ 'a.js': ['x', 'eval(x)'] })
  const of = (tool: string, line: string, weaknesses: string[]): FoundResult => ({
    ...plain!,
    finding: { ...plain!.finding, line },
    origin: { ...plain!.origin, tool, weaknesses },
  })
  const first = makeKnown(of('bandit', '10-12', ['bandit-602', 'cwe-78']), 'first')
  const kinds = (known: KnownIssue, ...found: FoundResult[]) =>
    planImport([], [known], found, WHOLE).map(({ kind }) => kind)
  assert.deepEqual(kinds(first, of('ruff', '12', ['bandit-602'])), ['duplicate'])
  assert.deepEqual(kinds(first, of('semgrep', '8-10', ['cwe-78'])), ['duplicate'])
  assert.deepEqual(kinds(first, of('semgrep', '13', ['cwe-78'])), ['created'])
  assert.deepEqual(kinds(first, of('semgrep', '12', ['cwe-79'])), ['created'])
  const done = { ...first, issue: { ...first.issue, status: 'resolved' as const } }
  const two = [of('ruff', '12', ['bandit-602']), of('bandit', '12', ['bandit-602'])]
  assert.deepEqual(kinds(done, ...two), ['created', 'duplicate'], 'the second of one report')
})
