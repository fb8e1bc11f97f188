// TAP whose subtests stand in braces after their own result, as vitest and node-tap up to 14 write it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRuns } from '../../../src/domain/verification/compare-runs.ts'
import { createTapReader } from '../../../src/domain/verification/tap-parser.ts'
import type { TestOutcomes } from '../../../src/domain/verification/test-outcomes.ts'

function tap(...lines: readonly string[]): TestOutcomes | undefined {
  const reader = createTapReader()
  for (const line of lines.join('\n').split('\n')) reader.line(line)
  return reader.end()
}

/** What vitest 4.1 printed, `number` for the file's place in the run. */
const RED_A = (number: number) => `not ok ${number} - a.test.ts # time=5.70ms {
    1..1
    not ok 1 - adds # time=4.80ms {
        1..2
        ok 1 - one # time=0.84ms
        not ok 2 - two { # time=3.65ms
            ---
            error:
                name: "AssertionError"
                message: "expected false to be true // Object.is equality"
            at: "/tmp/w/a.test.ts:3:96"
            actual: "false"
            expected: "true"
            ...
    }
}`
const GREEN_A = (number: number) => `ok ${number} - a.test.ts # time=2.48ms {
    1..1
    ok 1 - adds # time=1.57ms {
        1..2
        ok 1 - one # time=0.82ms
        ok 2 - two { # time=0.38ms
    }
}`
const RED_B = (number: number) => `not ok ${number} - b.test.ts # time=5.53ms {
    1..2
    ok 1 - one # time=0.86ms
    not ok 2 - b # time=3.79ms {
        1..2
        not ok 1 - bad # time=3.70ms
            ---
            error:
                name: "AssertionError"
                message: "expected 1 to be 2 // Object.is equality"
            ...
        ok 2 - later { # TODO
    }
}`
const HOOK = (number: number) => `not ok ${number} - c.test.ts # time=5.58ms {
    1..2
    not ok 1 - hook # time=2.40ms {
        1..1
        ok 1 - never # SKIP
    }
    ok 2 - skipped # SKIP {
        1..1
        ok 1 - x # SKIP
    }
}`

const RED = 'failed: exit status 1'

test('as vitest writes it: a test has its file and its suite in its name, and these are tests only where they failed by themselves', () => {
  assert.deepEqual(tap('TAP version 13', '1..3', RED_A(1), RED_B(2), HOOK(3)), {
    'a.test.ts › adds › one': 'passed',
    'a.test.ts › adds › two {': 'failed',
    'b.test.ts › one': 'passed',
    'b.test.ts › b › bad': 'failed',
    'b.test.ts › b › later {': 'skipped',
    'c.test.ts › hook › never': 'skipped',
    'c.test.ts › hook': 'failed',
    'c.test.ts › skipped › x': 'skipped',
  })
})

test('what a fix mends in one file breaks nothing in the other, in whichever order they come', () => {
  const base = tap('1..2', RED_A(1), RED_B(2))
  const judged = (after: TestOutcomes | undefined) => {
    const runs = [base, after].map((tests) => [{ command: 'x', outcome: RED, ...(tests ? { tests } : {}) }])
    const [{ effect, tests } = {}] = compareRuns(runs[0] ?? [], runs[1] ?? [])
    return [effect, tests?.fixed, tests?.broken, tests?.gone]
  }
  for (const after of [tap('1..2', GREEN_A(1), RED_B(2)), tap('1..2', RED_B(1), GREEN_A(2))]) {
    assert.deepEqual(judged(after), ['no_worse', ['a.test.ts › adds › two {'], [], []])
  }
  assert.deepEqual(judged(tap('1..2', RED_B(1), RED_A(2))), ['no_worse', [], [], []])
})

test('as node-tap writes it: a brace of its own after what is said of a failure, streamed subtests within, an empty one', () => {
  const out = tap(
    `TAP version 13
not ok 1 - t/a.js # time=601.811ms
  ---
  file: t/a.js
  exitCode: 1
  ...
{
    # Subtest: group
        ok 1 - one
        not ok 2 - two # odd
          ---
          found: 1
          ...
        
        1..2
        # failed 1 of 2 tests
    not ok 1 - group # time=11.319ms
    
    not ok 2 - buff # time=4.421ms {
        ok 1 - in buff
        not ok 2 - x # time=1.991ms {
            not ok 1 - bad
              ---
              at:
                line: 3
              ...
            
            1..1
            # failed 1 test
        }
        
        1..2
        # failed 1 of 2 tests
    }
    
    ok 3 - fine # time=1.953ms {
        ok 1 - x { # time=0.168ms {
            ok 1 - good
            1..1
        }
        
        1..1
    }
    
    ok 4 - none # time=0.201ms {
        1..0
    }
    
    1..4
    # time=52.846ms
}

ok 2 - t/c.js # SKIP no tests found {
    no tap
    1..0 # no tests found
}

not ok 3 - t/d.js # time=184.838ms
  ---
  exitCode: 1
  ...
{
    1..0 # no tests found
}

1..3
# time=616.037ms`,
  )
  assert.deepEqual(out, {
    't/a.js › group › one': 'passed',
    't/a.js › group › two # odd': 'failed',
    't/a.js › buff › in buff': 'passed',
    't/a.js › buff › x › bad': 'failed',
    't/a.js › fine › x { › good': 'passed',
    't/a.js › none': 'passed',
    't/c.js': 'skipped',
    't/d.js': 'failed',
  })
})

test('a name that ends in a brace is a name where nothing stands in it', () => {
  assert.deepEqual(tap('ok 1 - reads {', 'not ok 2 - writes {', '  ---', '  ...', 'ok 3 - {', '1..3'), {
    'reads {': 'passed',
    'writes {': 'failed',
    '{': 'passed',
  })
  // As node --test has it, and what a program prints.
  const subtest = ['# Subtest: inner', '    ok 1 - deep', '    1..1', 'ok 2 - inner']
  assert.deepEqual(tap('ok 1 - reads {', '  ---', '  ...', '{', '}', ...subtest, '1..2'), {
    'reads {': 'passed',
    'inner › deep': 'passed',
  })
  assert.deepEqual(tap('ok 1 - reads', '{', '    "a": {', '    }', '}', 'ok 2 - b', '1..2'), {
    reads: 'passed',
    b: 'passed',
  })
  const streamed = ['# Subtest: in {', '    not ok 1 - deep {', '    1..1', 'not ok 1 - in {']
  assert.deepEqual(tap(...streamed, '# Subtest: out', '    ok 1 - deep', 'ok 2 - out', '1..2'), {
    'in { › deep {': 'failed',
    'out › deep': 'passed',
  })
})

test('where no brace closes, what seemed to stand in it is the next one’s, and at the end all of it is unread', () => {
  // node-tap itself writes this, of the buffered subtest after the first.
  const open = ['ok 1 - reads {', '    ok 1 - deep', '    1..1']
  assert.deepEqual(tap(...open, 'not ok 2 - buffered', '1..2'), {
    'reads {': 'passed',
    'reads › deep': 'passed',
    buffered: 'failed',
  })
  assert.equal(tap('1..1', ...open), undefined)
})
