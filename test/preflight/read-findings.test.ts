import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type FindingsInput, readFindings } from '../../src/preflight/read-findings-and-review.ts'
import { setDesk } from '../runtime/support.ts'

const ISSUES = [{ issue_code: 'A', title: 'One', file: 'src/app.py' }]

async function codesIn(input: FindingsInput): Promise<readonly string[]> {
  const read = await readFindings({ findings: input }, '/nowhere')
  assert.ok(read.kind === 'read' && read.problems.length === 0, JSON.stringify(read))
  return read.all.map(({ issue_code }) => issue_code)
}

test('readFindings takes a file, the JSON itself and the value alike', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'findings-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'findings.json')
  writeFileSync(file, JSON.stringify(ISSUES))
  for (const input of [file, JSON.stringify(ISSUES), `\n ${JSON.stringify({ issues: ISSUES })}`, ISSUES]) {
    assert.deepEqual(await codesIn(input), ['A'])
  }
})

test('readFindings names the file of a problem, and what has none "the findings"', async () => {
  const wrong = await readFindings({ findings: [{ title: 'x' }] }, '/nowhere')
  assert.ok(wrong.kind === 'read')
  assert.match(wrong.problems.join('\n'), /^the findings: \[0\]\.issue_code: is missing$/m)
  const broken = await readFindings({ findings: '{"issues": [' }, '/nowhere')
  assert.ok(broken.kind === 'read')
  assert.match(broken.problems.join('\n'), /^the findings: line 1, column 13: is not JSON/)
  const missing = await readFindings({ findings: '/nowhere/findings.json' }, '/nowhere')
  assert.deepEqual(missing, {
    kind: 'unreadable',
    problem: "the findings file /nowhere/findings.json can't be read: there is no such file",
  })
})

test('prepareSession makes one key of the same findings, however they are given', async (t) => {
  const desk = await setDesk(t)
  const keys = new Set<string>()
  for (const findings of [desk.findings, ISSUES, JSON.stringify({ issues: ISSUES })]) {
    keys.add((await desk.ready({ findings })).session.key)
  }
  assert.equal(keys.size, 1)
  assert.match(
    await desk.problems({ findings: ISSUES, only: ['B'] }),
    /^the findings: there is no finding B to choose$/,
  )
})
