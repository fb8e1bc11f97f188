// The whole matrix: wrong fixes × profiles × bases, with a fooled challenger, and right ones that change tests.
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { assertBites, BASES, PROFILES, playRightFixes, playWrongFixes } from '../fix-matrix/matrix.ts'
import { LOUD_FIXES, PYTEST_FIXES, SILENCING_FIXES, STRICTLY_WRONG_FIXES } from '../fix-matrix/wrong-fixes.ts'

/** Here and there pytest is not installed. */
function hasPytest(): boolean {
  try {
    return execFileSync('python3', ['-m', 'pytest', '--version'], { encoding: 'utf8' }) !== ''
  } catch {
    return false
  }
}

const SILENCING = [...SILENCING_FIXES, ...(hasPytest() ? PYTEST_FIXES : [])]

test('each wrong fix is refuted by the checks of its base', () => {
  for (const fix of [...LOUD_FIXES, ...SILENCING, ...STRICTLY_WRONG_FIXES]) assertBites(fix)
})

for (const profile of PROFILES) {
  test(`${profile}: right fixes that change tests rightly are all committed, with one question to a person`, (t) =>
    playRightFixes(t, profile))
  for (const base of BASES) {
    test(`${profile}, ${base}: no fix is committed that breaks a check`, (t) =>
      playWrongFixes(t, { profile, base, fixes: LOUD_FIXES }))
    test(`${profile}, ${base}: no fix is committed that changes the tests to pass them`, (t) =>
      playWrongFixes(t, { profile, base, fixes: SILENCING }))
  }
}

for (const fix of STRICTLY_WRONG_FIXES)
  test(`verify, alone: ${fix.name} is not committed`, (t) =>
    playWrongFixes(t, { profile: 'verify', base: 'green', fixes: [fix] }))

for (const fix of [...LOUD_FIXES, ...SILENCING])
  if (['exits', 'emptied', 'packaged', 'tooled', 'nothing', 'diluted', 'conftest'].includes(fix.name))
    test(`batched, alone: ${fix.name} is not committed`, (t) =>
      playWrongFixes(t, { profile: 'batched', base: 'green', fixes: [fix] }))
