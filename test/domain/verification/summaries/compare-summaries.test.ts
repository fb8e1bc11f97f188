// What two summaries of one command show about a fix, where its single tests can't be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareSummaries } from '../../../../src/domain/verification/summaries/compare-summaries.ts'
import type { OutputSummary, RunnerSummary } from '../../../../src/domain/verification/summaries/output-summary.ts'
import { findPrinted, PRINTED, summarize } from './support.ts'

const NOTHING = { passed: 0, failed: 0, errors: 0, skipped: 0, failedFiles: 0, failing: [] }

function ran(counts: Partial<RunnerSummary>, runner = 'pytest'): OutputSummary {
  const { state = 'ran' } = counts
  return { state, runners: [{ runner, state, ...NOTHING, ...counts }] }
}

const ONE_RED = ran({ passed: 1_399, failed: 1, failing: ['a::old'] })
const red = { isGreen: false }

function effect(
  base: OutputSummary | undefined,
  now: OutputSummary | undefined,
  how: { isGreen: boolean; sameTests?: boolean } = red,
): string {
  return compareSummaries(base, now, how).effect
}

test('summaries that are equal or better are no worse', () => {
  assert.equal(effect(ONE_RED, ONE_RED), 'no_worse')
  assert.equal(effect(ran({ passed: 10, failed: 3 }), ran({ passed: 12, failed: 1 })), 'no_worse')
  assert.equal(effect(ONE_RED, ran({ passed: 1_450, failed: 1, failing: ['a::old'] })), 'no_worse')
})

test('a test that newly fails is named, also if another was fixed', () => {
  const found = compareSummaries(ONE_RED, ran({ passed: 1_399, failed: 1, failing: ['b::new'] }), red)
  assert.equal(found.effect, 'broken')
  assert.deepEqual(found.newlyFailing, ['b::new'])
  assert.match(found.why, /^b::new newly failing/)
})

test('names count only if all that failed are named, before and now', () => {
  assert.equal(
    effect(ran({ passed: 9, failed: 2, failing: ['a'] }), ran({ passed: 9, failed: 2, failing: ['b'] })),
    'no_worse',
  )
})

test('more failures, errors or failed files than before are newly broken', () => {
  for (const more of [{ failed: 2 }, { failed: 1, errors: 1 }, { failed: 1, failedFiles: 1 }])
    assert.equal(effect(ran({ passed: 90, failed: 1 }), ran({ passed: 90, ...more })), 'broken')
})

test('a file that does not load any more is newly broken, also if it hides more failures than it adds', () => {
  assert.equal(
    effect(ran({ passed: 900, failed: 3, failedFiles: 1 }), ran({ passed: 893, errors: 1, failedFiles: 1 })),
    'broken',
  )
})

test('fewer of the same tests are newly broken, also if the command is green and a red one was mended', () => {
  const base = ran({ passed: 14, failed: 1 })
  for (const isGreen of [true, false]) {
    assert.equal(effect(base, ran({ passed: 14 }), { isGreen, sameTests: true }), 'broken')
    assert.equal(effect(base, ran({ passed: 15 }), { isGreen, sameTests: true }), 'no_worse')
    assert.equal(effect(base, ran({ passed: 14 }), { isGreen, sameTests: false }), 'no_worse')
  }
})

test('a collapse is newly broken: nothing passes, or far fewer than a diff may remove', () => {
  assert.equal(effect(ran({ passed: 900, failed: 1 }), ran({ failed: 1 })), 'broken')
  assert.equal(effect(ran({ passed: 900, failed: 1 }), ran({ passed: 700, failed: 1 })), 'broken')
  assert.equal(effect(ran({ passed: 900, failed: 1 }), ran({ passed: 880, failed: 1 })), 'no_worse')
  assert.equal(effect(ran({ passed: 3, failed: 1 }), ran({ passed: 2, failed: 1 })), 'no_worse')
})

for (const state of ['build_failed', 'nothing_collected', 'could_not_start'] as const) {
  test(`${state} is newly broken if the base came farther, whatever the exit status`, () => {
    const now: OutputSummary = { state, runners: [] }
    assert.equal(effect(ONE_RED, now), 'broken')
    assert.equal(effect(ONE_RED, now, { isGreen: true }), 'broken')
    assert.equal(effect(now, now), 'unknown')
    assert.equal(effect(now, ran({ passed: 4, failed: 2 })), 'unknown')
  })
}

test('a runner that passed tests before and does not come to its end is newly broken', () => {
  assert.equal(effect(ONE_RED, undefined), 'broken')
  assert.equal(effect(ONE_RED, ran({ errors: 3 }, 'tsc')), 'broken')
  assert.equal(effect(ran({ failed: 1 }), undefined), 'unknown')
})

test('a linter that is silent now has found nothing', () => {
  const both = (errors: number): OutputSummary => ({
    state: 'ran',
    runners: [...ran({ passed: 9, failed: 1 }).runners, ...(errors > 0 ? ran({ errors }, 'tsc').runners : [])],
  })
  assert.equal(effect(both(2), both(0)), 'no_worse')
  assert.equal(effect(both(2), both(3)), 'broken')
})

test('what a runner shows that did not come to its turn on the base is unknown', () => {
  const now: OutputSummary = {
    state: 'ran',
    runners: [...ONE_RED.runners, ...ran({ passed: 5, failed: 2 }, 'jest').runners],
  }
  assert.equal(effect(ONE_RED, now), 'unknown')
})

test('summaries in which nothing passes prove nothing', () => {
  assert.equal(effect(ran({ errors: 2 }, 'tsc'), ran({ errors: 2 }, 'tsc')), 'unknown')
  assert.equal(effect(undefined, ONE_RED), 'unknown')
})

test('a green command is broken only if passing tests fail now, or nothing ran', () => {
  const green = { isGreen: true }
  const base = ran({ passed: 100 })
  assert.equal(effect(base, ran({ passed: 99, failed: 1 }), green), 'broken', 'a pipe hides the status')
  assert.equal(effect(base, ran({ passed: 199, failed: 1 }), green), 'no_worse', 'it repeats what failed')
  assert.equal(effect(base, ran({ passed: 60 }), green), 'no_worse', 'tests were removed')
  assert.equal(effect(base, ran({ skipped: 100 }), green), 'broken')
})

test('a green command whose tests have vanished is broken, unless its runner may be silent or another took its place', () => {
  const green = { isGreen: true }
  const base = ran({ passed: 900, failed: 1 })
  assert.equal(effect(base, undefined, green), 'broken', '`exit 0` in the source')
  assert.equal(effect(base, ran({}, 'tsc'), green), 'broken')
  assert.equal(effect(base, ran({ passed: 900 }, 'vitest'), green), 'unknown')
  assert.equal(effect(ran({ passed: 9, failed: 1 }, 'gradle'), undefined, green), 'unknown')
  const wasGreen = { isGreen: true, wasGreen: true }
  assert.equal(effect(ran({ passed: 9 }, 'gradle'), undefined, wasGreen), 'broken')
  assert.equal(effect(ran({ errors: 2 }, 'tsc'), undefined, green), 'unknown')
})

/** A red base of a runner, and what it prints if a fix writes no code into its files. */
const BROKEN: Readonly<Record<string, readonly string[]>> = {
  'pytest red': ['pytest broken', 'pytest imp', 'pytest none', 'pytest conf', 'pytest nomodule', 'pytest x'],
  'unittest red': ['unittest broken', 'unittest none', 'start sh-missing'],
  'jest red': ['jest broken', 'jest imp', 'jest none', 'jest snapshot'],
  'vitest red': ['vitest broken', 'vitest imp', 'vitest none', 'vitest badconfig'],
  'mocha red': ['mocha broken', 'mocha none', 'mocha nomod'],
  'node red-spec': ['node broken-spec', 'node nest-spec', 'node none-spec', 'node modulemissing'],
  'go red': ['go types', 'go vet', 'go none', 'go badversion'],
  'go red-v': ['go vet', 'go none'],
  'cargo red': ['cargo broken', 'cargo none', 'cargo nomanifest'],
  'mvn red': ['mvn broken'],
  'phpunit red': ['phpunit broken', 'phpunit none'],
  'rspec red': ['rspec broken', 'rspec none'],
  'ctest red': ['ctest none'],
  'mypy red': ['mypy syntax'],
}

for (const [base, worse] of Object.entries(BROKEN)) {
  for (const name of worse) {
    test(`${base}, then ${name}: newly broken`, () => {
      const [before, now] = [findPrinted(base), findPrinted(name)].map(({ text, exitStatus }) =>
        summarize(text, exitStatus),
      )
      assert.equal(effect(before, now), 'broken')
    })
  }
}

for (const { name, text, exitStatus } of PRINTED) {
  test(`${name}, twice the same: not newly broken`, () => {
    const summary = summarize(text, exitStatus)
    assert.notEqual(effect(summary, summary, { isGreen: exitStatus === 0 }), 'broken')
  })
}
