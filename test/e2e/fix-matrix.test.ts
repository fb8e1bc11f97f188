// A part of the matrix of wrong fixes; all of it, and that each of them is refuted by the checks of its base, is in test/slow.
import { test } from 'node:test'
import { playRightFixes, playWrongFixes } from '../fix-matrix/matrix.ts'
import { LOUD_FIXES, SILENCING_FIXES } from '../fix-matrix/wrong-fixes.ts'

const ALL = [...LOUD_FIXES, ...SILENCING_FIXES]
const named = (...names: readonly string[]) => ALL.filter(({ name }) => names.includes(name))

test('wrong fixes on a green base: none is committed, whatever the challenger says, and the right one beside them is', (t) =>
  playWrongFixes(t, {
    profile: 'batched',
    base: 'green',
    fixes: named('wrong', 'exits', 'emptied', 'expected', 'made', 'diluted'),
  }))

test('wrong fixes on a red base, with no challenger: none is committed, and the right ones beside them are', (t) =>
  playWrongFixes(t, {
    profile: 'verify',
    base: 'red, by counts',
    fixes: named('syntax', 'deleted', 'pictured', 'tooled', 'nothing'),
  }))

test('right fixes that change tests rightly are all committed, with one question to a person', (t) =>
  playRightFixes(t, 'batched'))
