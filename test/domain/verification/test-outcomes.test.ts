// How tests came out, read from TAP and JUnit, hostile ones included, and what the difference to before proves.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { compareRuns, compareTests, deriveVerdict } from '../../../src/domain/verification/compare-runs.ts'
import { GateRecord } from '../../../src/domain/verification/gate-record.ts'
import { parseJUnit } from '../../../src/domain/verification/junit-parser.ts'
import type { OutputSummary } from '../../../src/domain/verification/summaries/output-summary.ts'

import { createTapReader } from '../../../src/domain/verification/tap-parser.ts'
import { createTestCollector, type TestOutcomes } from '../../../src/domain/verification/test-outcomes.ts'

function tap(text: string): TestOutcomes | undefined {
  const reader = createTapReader()
  for (const line of text.split('\n')) reader.line(line)
  return reader.end()
}

function junit(...files: string[]): TestOutcomes | undefined {
  const tests = createTestCollector()
  return files.every((xml) => parseJUnit(xml, tests)) ? tests.all() : undefined
}

const NO_FAILURES = { failed: 0, errors: 0, skipped: 0, failedFiles: 0, failing: [] }

describe('TAP', () => {
  test('as node’s own runner writes it: the innermost tests, and a group that failed by itself', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fixwright-tap-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'a.test.mjs')
    writeFileSync(
      file,
      `import { describe, it, test } from 'node:test'
      const fail = () => { throw new Error('no\\n    ok 7 - is data\\n') }
      describe('group', () => { it('one', () => {}); it('two # odd', fail); it.skip('three', fail); it.todo('four', fail) })
      test('alone', () => console.log('ok 9 - printed'))
      test('outer', async (t) => { await t.test('inner', () => {}); fail() })`,
    )
    const env = { PATH: process.env.PATH }
    let out = ''
    try {
      execFileSync(process.execPath, ['--test', '--test-reporter=tap', file], { env, encoding: 'utf8' })
    } catch (error) {
      out = (error as { stdout: string }).stdout
    }
    assert.deepEqual(tap(out), {
      'group › one': 'passed',
      'group › two # odd': 'failed',
      'group › three': 'skipped',
      'group › four': 'skipped',
      alone: 'passed',
      'outer › inner': 'passed',
      outer: 'failed',
    })
  })

  test('as node-tap and vitest write it: the time that a test took is no part of its name', () => {
    const run = (a: string, b: string) =>
      tap(`ok 1 - adds # time=${a}ms\nnot ok 2 - later # time=${b}ms # TODO\nok 3 - is \\# time=1\n1..3\n`)
    assert.deepEqual(run('1.25', '3'), { adds: 'passed', later: 'skipped', 'is # time=1': 'passed' })
    assert.deepEqual(compareTests(run('1.25', '3'), run('2', '0.5'))?.gone, [])
  })

  test('as prove and bats write it: plans first, no dash, no names, todo, several files', () => {
    assert.deepEqual(tap('1..2\nok 1 adds up\nnot ok 2 subtracts\n1..2\nnot ok 1 - later # TODO some day\nok 2\n'), {
      'adds up': 'passed',
      subtracts: 'failed',
      later: 'skipped',
      'test 2': 'passed',
    })
  })

  test('what is not whole, broke off, or is no TAP is not read', () => {
    assert.equal(tap('1..3\nok 1 - a\nok 2 - b\n'), undefined)
    assert.equal(tap('1..1\nok 1 - a\nBail out! no database\n'), undefined)
    assert.equal(tap('ok 1 - a\nnot ok 2 - b\n'), undefined)
    assert.equal(tap('all is ok\n1..0 # skip\n'), undefined)
    assert.equal(tap('1..1\n  ---\nok 1 - within a block that never ends\n'), undefined)
  })
})

const SUITE = `<?xml version="1.0" encoding="UTF-8"?>
<!-- <testcase name="no"/> -->
<testsuites><testsuite name="s" tests="4">
  <properties><property name="a" value="x &gt; y"/></properties>
  <testcase classname="pkg.A" name="adds &quot;up&quot; &#38; &#x26; &eacute;" time="0.1"/>
  <testcase classname='pkg.A' name='breaks > a tag'><failure message="2 != 3"><![CDATA[</testcase> ]]></failure></testcase>
  <testcase file="a.js" name="errs"><error/></testcase>
  <testcase classname="pkg.A" name="skips"><skipped/></testcase>
</testsuite></testsuites>`

describe('JUnit', () => {
  test('reads names, failures, errors and skips', () => {
    assert.deepEqual(junit(SUITE), {
      'pkg.A › adds "up" & & &eacute;': 'passed',
      'pkg.A › breaks > a tag': 'failed',
      'a.js › errs': 'failed',
      'pkg.A › skips': 'skipped',
    })
  })

  test('what has one name is one test: failed if one of them did', () => {
    const one = (inner: string) => `<testsuite><testcase name="same">${inner}</testcase></testsuite>`
    assert.deepEqual(junit(one(''), one('<failure/>'), one('<skipped/>')), { same: 'failed' })
    assert.deepEqual(junit(one('<skipped/>'), one('')), { same: 'passed' })
  })

  test('unless the command was content in the end: then what passed was tried again', () => {
    const tests = createTestCollector()
    const own = ['again', 'again', 'never'].map((name, index) => {
      return `<testcase name="${name}">${index === 1 ? '' : '<failure/>'}</testcase>`
    })
    assert.ok(parseJUnit(`<testsuite>${own.join('')}</testsuite>`, tests))
    assert.deepEqual(tests.all(), { again: 'failed', never: 'failed' })
    assert.deepEqual(tests.all({ isGreen: true }), { again: 'passed', never: 'failed' })
    for (const outcome of ['failed', 'passed'] as const) tests.add(['again'], outcome)
    assert.deepEqual(tests.all({ isGreen: true }), { again: 'passed', never: 'failed' })
  })

  test('what could be expanded or fetched, is cut, or is something else is not read', () => {
    const bomb = '<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
    const hostile = [
      bomb,
      '<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuite/>',
      SUITE.slice(0, -20),
      SUITE.slice(0, 300),
      '<html><testcase name="a"/></html>',
      '<testsuite><testcase name="a"></testsuite></testcase>',
      '<testsuite/><testsuite/>',
      `${'<testsuite>'.repeat(1000)}${'</testsuite>'.repeat(1000)}`,
      '<!-- ',
      '',
    ]
    for (const xml of hostile) assert.equal(junit(xml), undefined, xml.slice(0, 60))
    assert.equal(junit('<testsuite>a < b</testsuite>'), undefined)
  })

  test('eight megabytes of anything are read, or not, in no time worth mentioning', () => {
    for (const piece of ['<', '<a', '<testsuite ', ' a="', ' a =', '&#x', '<!--', '<testcase name="x"/>', ' ']) {
      junit(`<testsuite>${piece.repeat(2 ** 21 / piece.length)}`)
      tap(`1..1\nok 1 ${piece.repeat(2 ** 21 / piece.length)}`)
    }
  })

  test('too many tests are not compared; long names stay apart, odd ones are names', () => {
    const many = Array.from({ length: 10_001 }, (_, index) => `<testcase name="t${index}"/>`).join('')
    assert.equal(junit(`<testsuite>${many}</testsuite>`), undefined)
    const long = ['a', 'b'].map((end) => `<testcase name="${'x'.repeat(5000)}${end}"/>`).join('')
    assert.equal(Object.keys(junit(`<testsuite>${long}</testsuite>`) ?? {}).length, 2)
    const odd = junit(
      '<testsuite><testcase name="__proto__"><error/></testcase><testcase name="constructor"/></testsuite>',
    )
    assert.deepEqual(compareTests({ a: 'passed' }, odd)?.broken, ['__proto__'])
    assert.deepEqual(compareTests(odd, odd), {
      fixed: [],
      broken: [],
      broken_before: ['__proto__'],
      gone: [],
      appeared: 0,
      passing: 1,
    })
    const run = { command: 'c', outcome: 'passed', tests: odd }
    assert.ok(GateRecord.safeParse(JSON.parse(JSON.stringify({ tree: 't', verification: [run] }))).success)
  })
})

describe('what tests prove beside the untouched base [S4-3]', () => {
  const before: TestOutcomes = { a: 'passed', b: 'failed', c: 'failed', d: 'passed' }
  const judge = (was: string, is: string, after: TestOutcomes | undefined, strict = false, first = before) => {
    const compared = compareRuns(
      [{ command: 'x', outcome: was, tests: first }],
      [{ command: 'x', outcome: is, ...(after ? { tests: after } : {}) }],
    )
    return [compared[0]?.effect, deriveVerdict(compared, strict)]
  }
  const red = 'failed: exit status 1'

  test('a command that is red before and after passes if none of its tests is newly broken, unless it has to be green', () => {
    assert.deepEqual(judge(red, red, { a: 'passed', b: 'passed', c: 'failed', d: 'passed' }), ['no_worse', 'passed'])
    assert.deepEqual(judge(red, red, before), ['no_worse', 'passed'])
    assert.deepEqual(judge(red, red, before, true), ['no_worse', 'failed'])
  })

  test('and fails if one is: one that passed, a new one, one that is gone or skipped while it is red', () => {
    assert.deepEqual(judge(red, red, { ...before, a: 'failed' }), ['broken', 'failed'])
    assert.deepEqual(judge(red, red, { ...before, e: 'failed' }), ['broken', 'failed'])
    assert.deepEqual(judge(red, red, { a: 'passed', b: 'failed', c: 'failed' }), ['broken', 'failed'])
    assert.deepEqual(judge(red, red, { ...before, d: 'skipped' }), ['broken', 'failed'])
  })

  test('a green one is green, whatever is gone from it; one that was green and is red is broken, whatever its tests say', () => {
    assert.deepEqual(judge(red, 'passed', { a: 'passed' }), ['fixed', 'passed'])
    assert.deepEqual(judge('passed', 'passed', { a: 'passed' }), ['passes', 'passed'])
    assert.deepEqual(judge('passed', red, { a: 'passed', d: 'passed' }, false, { a: 'passed' }), ['broken', 'failed'])
  })

  test('what passed on the base as well as it failed there is mended by no fix that it passes with', () => {
    const wavering = { command: 'x', outcome: red, tests: before, flaky: true } as const
    const after = { a: 'passed', b: 'passed', c: 'failed', d: 'passed' } as const
    const [green] = compareRuns([wavering], [{ command: 'x', outcome: 'passed', tests: { ...after, c: 'passed' } }])
    assert.deepEqual([green?.effect, green?.tests?.fixed], ['passes', []])
    const [still] = compareRuns([wavering], [{ command: 'x', outcome: red, tests: after }])
    assert.deepEqual([still?.effect, still?.tests?.fixed], ['no_worse', []])
  })

  test('an exit status that a pipe or a `|| true` took away hides nothing: a test that is newly broken is, also in a green command', () => {
    assert.deepEqual(judge('passed', 'passed', { ...before, a: 'failed' }), ['broken', 'failed'])
    assert.deepEqual(judge(red, 'passed', { a: 'passed', b: 'passed', c: 'passed', d: 'failed' }), ['broken', 'failed'])
    assert.deepEqual(judge('passed', 'passed', before), ['passes', 'passed'])
  })

  test('of several tests of one name, one more that fails is newly broken, as where names are the words of an assertion', () => {
    const run = (...results: string[]) =>
      tap(
        [`1..${results.length}`, ...results.map((result, index) => `${result} ${index + 1} - should be equal`)].join(
          '\n',
        ),
      )
    const worse = compareTests(run('ok', 'not ok', 'ok'), run('not ok', 'not ok', 'ok'))
    assert.deepEqual([worse?.broken, worse?.broken_before], [['should be equal (failed 2 times)'], ['should be equal']])
    const better = compareTests(run('not ok', 'not ok', 'ok'), run('ok', 'not ok', 'ok'))
    assert.deepEqual([better?.broken, better?.gone], [[], []])
    assert.deepEqual(judge(red, red, run('not ok', 'not ok', 'ok'), false, run('ok', 'not ok', 'ok'))[0], 'broken')
  })

  test('a suite that passed tests, and of which none can be read any more, is broken as if each of them were', () => {
    assert.deepEqual(judge(red, red, undefined), ['broken', 'failed'])
    const unseen = (was: string, is: string) =>
      compareRuns([{ command: 'x', outcome: was, tests: before }], [{ command: 'x', outcome: is }])[0]?.unseenTests
    assert.deepEqual([unseen(red, red), unseen('passed', red)], [2, undefined])
  })

  test('a green command of which nothing shows any more that tests ran is broken: the source may say `exit 0`', () => {
    const ran = (passed: number) => ({ runner: 'tap', state: 'ran' as const, passed, ...NO_FAILURES })
    const effect = (was: string, summary?: OutputSummary) =>
      compareRuns(
        [{ command: 'x', outcome: was, tests: before }],
        [{ command: 'x', outcome: 'passed', ...(summary ? { summary } : {}) }],
      )[0]?.effect
    assert.deepEqual([effect(red), effect('passed')], ['broken', 'broken'])
    assert.equal(effect('passed', { state: 'ran', runners: [ran(0)] }), 'broken')
    assert.equal(effect('passed', { state: 'ran', runners: [ran(2)] }), 'passes', 'TAP without a plan')
    assert.equal(effect(red, { state: 'ran', runners: [ran(2)] }), 'fixed')
    assert.deepEqual(judge('passed', 'passed', {}), ['broken', 'failed'])
    assert.deepEqual(judge('passed', 'passed', { a: 'skipped' }), ['broken', 'failed'])
  })

  test('where they could not be read before, or none passes, it proves nothing', () => {
    const blind = { command: 'x', outcome: red }
    assert.equal(compareRuns([blind], [{ ...blind, tests: before }])[0]?.effect, 'unproven')
    assert.deepEqual(judge(red, red, undefined, false, { b: 'failed', c: 'skipped' }), ['unproven', 'unverified'])
    assert.deepEqual(judge(red, red, { b: 'failed' }, false, { b: 'failed' }), ['unproven', 'unverified'])
  })

  test('says which are fixed by us, broken by us, broken before, and gone', () => {
    assert.deepEqual(compareTests(before, { a: 'failed', b: 'passed', c: 'failed', e: 'failed' }), {
      fixed: ['b'],
      broken: ['a', 'e'],
      broken_before: ['c'],
      gone: ['d'],
      appeared: 1,
      passing: 1,
    })
  })

  test('a green command whose tests are gone is broken where nothing can explain that, unless they only have other names', () => {
    const effectOf = (after: TestOutcomes, sameTests: boolean) =>
      compareRuns(
        [{ command: 'x', outcome: 'passed', tests: { a: 'passed', b: 'passed' } }],
        [{ command: 'x', outcome: 'passed', tests: after }],
        { sameTests },
      )[0]?.effect
    assert.equal(effectOf({ a: 'passed' }, true), 'broken')
    assert.equal(effectOf({ a: 'passed', b: 'skipped' }, true), 'broken')
    assert.equal(effectOf({ a: 'passed', 'test/b.test.js': 'passed' }, true), 'broken')
    assert.equal(effectOf({ a: 'passed', 'b 2': 'passed' }, true), 'passes')
    assert.equal(effectOf({ a: 'passed' }, false), 'passes')
  })
})
