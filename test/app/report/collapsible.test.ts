// What several issues have in common stands in a report once: what a check printed, and what was changed in a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderReport } from '../../../src/app/report/render/formats.ts'
import type { IssueDiff } from '../../../src/app/report/report-model.ts'
import { compareRuns } from '../../../src/domain/verification/compare-runs.ts'
import { issueWith, reportWith, TREE } from './support.ts'

test('what a check printed for several issues, or in several runs, stands there once, in every format for people', () => {
  const runs = [{ command: 'npm test', outcome: 'failed: exit status 1', output: 'ERR! of them all' }]
  const commands = compareRuns(runs, runs)
  const issues = ['BE-1', 'BE-2', 'BE-3'].map((issue_code, index) => {
    const step_id = index < 2 ? 's1.i1.verify' : 's1.i2.verify'
    return issueWith('x', { issue_code, verification: { step_id, tree: TREE, verdict: 'failed', commands } })
  })
  for (const format of ['md', 'html'] as const) {
    const text = withoutTags(renderReport(reportWith('x', issues), format))
    assert.equal(text.split('ERR! of them all').length, 2, format)
    assert.match(text, /with BE-1, BE-2:/)
    assert.match(text.slice(text.indexOf('ERR!')), /with BE-3:[\s\S]*What .*npm test.* printed stands at s1.i1.verify/)
  }
})

test('where a suite that passed tests can be read no more, a report says how many, and not that the command passed', () => {
  const red = { command: 'npm test', outcome: 'failed: exit status 1', output: 'ERR!' }
  const commands = compareRuns([{ ...red, tests: { a: 'passed', b: 'passed', c: 'failed' } }], [red])
  const verification = { step_id: 'c', tree: TREE, verdict: 'failed', commands } as const
  const text = renderReport(reportWith('x', [issueWith('x', { verification })]), 'md')
  assert.match(text, /`npm test` broken by us \(before: failed/)
  assert.match(text, /tests no longer seen\*\* 2 that passed before/)
  assert.match(text, /printed \(broken by us\)/)
  assert.doesNotMatch(text, /it passed before/)
})

test('a report whose gate was passed with a check that is red as before does not begin as if all were green', () => {
  const runs = (outcome: string) => [
    { command: 'npm test', outcome: 'failed: exit status 1' },
    { command: 'tsc', outcome },
  ]
  const headOf = (after: string): string => {
    const commands = compareRuns(
      runs('passed'),
      after === 'red' ? runs('passed') : [{ command: 'npm test', outcome: after }],
    )
    const verification = { step_id: 'c', tree: TREE, verdict: 'passed', commands } as const
    const issues = [issueWith('x', { state: 'fixed', verification }), issueWith('x', { state: 'fixed', verification })]
    return renderReport({ ...reportWith('x', issues), final_status: 'passed' }, 'md')
  }
  assert.match(
    headOf('red'),
    /nothing that is checked is newly broken\. On what is committed not every check passes: npm test\*\*/,
  )
  assert.match(headOf('passed'), /Everything is fixed, and the verification passed on what is committed\./)
})

test('what a check said about files that it had changed itself is told as that', () => {
  const run = { command: 'eslint --fix .', outcome: 'passed' }
  const commands = compareRuns([run], [{ ...run, changedFiles: ['src/a.js', 'src/b.js'] }])
  const verification = { step_id: 'c', tree: TREE, verdict: 'passed', commands } as const
  const text = renderReport(reportWith('x', [issueWith('x', { verification })]), 'md')
  assert.match(text, /files that it changed, and that were put back\*\* src\/a\.js, src\/b\.js/)
})

test('of a check that had failed before it is never said that it passed, be it broken by its tests or before it could run', () => {
  const red = { command: 'npm test', outcome: 'failed: exit status 1', output: 'ERR!' }
  const broken = compareRuns([{ ...red, tests: { a: 'passed' } }], [{ ...red, tests: { a: 'failed' } }])
  const setup = compareRuns([red], [{ ...red, setup: true }])
  for (const commands of [broken, setup]) {
    const verification = { step_id: 'c', tree: TREE, verdict: 'failed', commands } as const
    const text = renderReport(reportWith('x', [issueWith('x', { verification })]), 'md')
    assert.match(text, /`npm test` broken by us \(before: failed/)
    assert.match(text, /what npm test printed \(broken by us\)/)
  }
})

test('issues that are proven together are told together', () => {
  const about = { codes: ['BE-1', 'BE-2'], files: [], commands: [], tests: [] }
  const proof = { ...about, verdict: 'proven', why: 'without the fix empty fails' } as const
  const issue = issueWith('x', { issue_code: 'BE-1', proof })
  const text = renderReport(reportWith('x', [issue]), 'md')
  assert.match(text, /regression test \(proven\)\*\* together with BE-2: without the fix empty fails/)
})

function withoutTags(text: string): string {
  return text.replace(/<[^>]*>/g, '')
}

function changeOf(path: string, lines = 1): string {
  const added = Array.from({ length: lines }, (_, line) => `+${path} line ${line}\n`).join('')
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1,${lines} @@\n${added}`
}

function diffOf(paths: readonly string[], more: Partial<IssueDiff> = {}): IssueDiff {
  const text = paths.map((path) => changeOf(path)).join('')
  return { source: 'commit', files: paths, shared_with: [], text, is_cut: false, ...more }
}

function reportOf(diffs: Readonly<Record<string, IssueDiff>>) {
  const none = { verification: null, challenges: [], silenced: [] }
  return reportWith(
    'x',
    Object.entries(diffs).map(([issue_code, diff]) => issueWith('x', { ...none, issue_code, diff })),
  )
}

test('what was changed in a file that issues share stands at the first of them, in every format for people, and whole in JSON', () => {
  const report = reportOf({
    'BE-1': diffOf(['own.py', 'shared.py']),
    'BE-2': diffOf(['shared.py']),
    'BE-3': diffOf(['shared.py', 'third.py']),
  })
  for (const format of ['md', 'html'] as const) {
    const text = renderReport(report, format)
    for (const path of ['own', 'shared', 'third']) assert.equal(text.split(`+${path}.py line 0`).length, 2, format)
    const [, one = '', two = '', three = ''] = text.split(/### BE-\d x\n|<div id="finding-\d">/).map(withoutTags)
    assert.match(one, /own\.py line 0[\s\S]*shared\.py line 0/)
    for (const other of [two, three])
      assert.match(other, /What was changed in .*shared\.py.* stands at BE-1: it is the/)
    assert.doesNotMatch(two, /the diff/)
    assert.match(three, /the diff, but for that\n[\s\S]*third\.py line 0/)
  }
  const { issues } = JSON.parse(renderReport(report, 'json'))
  assert.equal(issues[1].diff.text, changeOf('shared.py'))
})

test('what is only like it stands for itself: another change of the file, an attempt beside a commit, what had no room before', () => {
  const other = diffOf(['shared.py'], { text: changeOf('shared.py', 2) })
  const attempt = diffOf(['shared.py'], { source: 'attempt' })
  const text = renderReport(reportOf({ 'BE-1': diffOf(['shared.py']), 'BE-2': other, 'BE-3': attempt }), 'md')
  assert.equal(text.split('+shared.py line 0').length, 4)
  assert.doesNotMatch(text, /stands at/)

  const long = diffOf(['long.py', 'shared.py'], { text: changeOf('long.py', 9_000) + changeOf('shared.py') })
  const full = renderReport(reportOf({ 'BE-1': long, 'BE-2': diffOf(['shared.py']), 'BE-3': long }), 'html')
  assert.equal(full.split('+shared.py line 0').length, 2, 'where there was room for it')
  assert.equal(full.split('+long.py line 0<').length, 2, 'cut, and not said again')
  assert.match(withoutTags(full), /long\.py.* stands at BE-1/)
  assert.match(withoutTags(full), /shared\.py.* stands at BE-2/)
})

test('the beginning of a diff whose commit is gone is no diff any more, and stands once all the same', () => {
  const glimpse = { source: 'glimpse', text: '+half of a', is_cut: true } as const
  const text = renderReport(reportOf({ 'BE-1': diffOf(['a'], glimpse), 'BE-2': diffOf(['a'], glimpse) }), 'md')
  assert.equal(text.split('+half of a').length, 2)
  assert.match(text, /What was changed in `a` stands at BE-1/)
})
