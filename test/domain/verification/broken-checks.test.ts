import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listBrokenChecks, refuseBrokenChecks } from '../../../src/domain/verification/broken-checks.ts'
import type { VerificationRun } from '../../../src/domain/verification/gate-record.ts'

const NOT_FOUND = 'sh: 1: jest: not found'
const STARTLESS = { state: 'could_not_start' as const, runners: [], reason: NOT_FOUND }
const BROKEN: VerificationRun = { command: 'npx jest', outcome: 'failed: exit status 127', summary: STARTLESS }

test('listBrokenChecks finds what could not start, and nothing that ran', () => {
  const red: VerificationRun = { command: 'npm t', outcome: 'failed: exit status 1' }
  const unbuilt: VerificationRun = { ...red, summary: { state: 'build_failed', runners: [] } }
  const reported: VerificationRun = { ...BROKEN, tests: { a: 'failed' } }
  assert.deepEqual(listBrokenChecks([red, unbuilt, reported, BROKEN]), [{ command: 'npx jest', reason: NOT_FOUND }])
})

test('refuseBrokenChecks names command, reason and what to do, unless the command or all is ignored', () => {
  const broken = [...listBrokenChecks([BROKEN]), { command: "sh -c 'no'", reason: 'exit status 126' }]
  assert.deepEqual(refuseBrokenChecks(broken, []), {
    code: 'check_cannot_start',
    detail:
      "\"npx jest\" (sh: 1: jest: not found), \"sh -c 'no'\" (exit status 126) can't run on the untouched base: nothing was paid for, and nothing changed. Is it written right, and does the clone need a setup first (--setup \"npm ci\")? To begin without what it would say: --ignore-broken-checks 'npx jest' --ignore-broken-checks 'sh -c '\\''no'\\'''",
  })
  assert.match(refuseBrokenChecks(broken, [' npx jest '])?.detail ?? '', /^"sh -c 'no'" /)
  for (const ignored of [['all'], broken.map(({ command }) => command)]) {
    assert.equal(refuseBrokenChecks(broken, ignored), undefined)
  }
  assert.equal(refuseBrokenChecks([], []), undefined)
})
