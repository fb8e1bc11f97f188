import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { test } from 'node:test'
import { makeTwelve } from '../../rehearsal/twelve.ts'
import { applyFixes, git, scoresOf } from './repositories.ts'
import { temporaryFolder } from './support.ts'

test('twelve findings lie in ten files of two languages, each on the line it names', (t) => {
  const { repository, findings, scenario } = makeTwelve(join(temporaryFolder(t), 'repository'))
  const files = new Set(findings.issues.map(({ file }) => file))
  assert.deepEqual([findings.issues.length, files.size], [12, 10])
  assert.deepEqual(new Set([...files].map((file) => extname(file))), new Set(['.py', '.js']))
  assert.deepEqual(
    Object.keys(scenario.issues),
    findings.issues.map((finding) => finding.issue_code),
  )
  for (const { file, line, issue_code } of findings.issues) {
    const text = readFileSync(join(repository, file), 'utf8').split('\n')[Number(line) - 1]
    assert.ok(text?.endsWith(issue_code), `${file}:${line}`)
  }
})

test('each fix proves its own issue and no other, and leaves code that compiles', (t) => {
  const { repository, findings, scenario } = makeTwelve(join(temporaryFolder(t), 'repository'))
  const codes = findings.issues.map((finding) => finding.issue_code)
  applyFixes(repository, scenario, ['T-003'], 1)
  const solved = Object.entries(scoresOf(repository, scenario, codes)).filter(([, score]) => score >= 90)
  assert.deepEqual(solved, [['T-003', 97]])
  applyFixes(repository, scenario, codes, 1)
  assert.deepEqual(
    Object.values(scoresOf(repository, scenario, codes)),
    codes.map(() => 97),
  )
  execFileSync('python3', ['-m', 'compileall', '-q', 'ledger'], { cwd: repository })
  for (const file of git(repository, 'ls-files', 'web').split('\n')) {
    execFileSync(process.execPath, ['--check', '--input-type=module'], { input: readFileSync(join(repository, file)) })
  }
})

test('larger sets are made the same way, and the same set is the same commit', (t) => {
  const folder = temporaryFolder(t)
  const [one, other] = [makeTwelve(join(folder, 'one'), 100), makeTwelve(join(folder, 'other'), 100)]
  assert.equal(git(one.repository, 'rev-parse', 'main'), git(other.repository, 'rev-parse', 'main'))
  assert.equal(new Set(one.findings.issues.map((finding) => finding.issue_code)).size, 100)
  assert.deepEqual(one.scenario, other.scenario)
})
