// Diffs that silence a check, each in the words of its tool, and diffs that do not.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { detectTampering } from '../../../src/domain/tampering/detect.ts'
import { createTestFileMatcher } from '../../../src/domain/verification/test-files.ts'
import { DEFAULTS } from '../../activities/support.ts'

const isTest = createTestFileMatcher(DEFAULTS.verification.tests)

/** `-`, `+` and ` ` begin the lines, as in a diff. */
function diffOf(path: string, lines: readonly string[], header: readonly string[] = []): string {
  const count = (marks: string) => lines.filter((line) => marks.includes(line[0] ?? '')).length
  return [
    `diff --git a/${path} b/${path}`,
    ...header,
    'index 1111111..2222222 100644',
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -7,${count(' -')} +7,${count(' +')} @@ def around():`,
    ...lines,
    '',
  ].join('\n')
}

function kinds(path: string, ...lines: readonly string[]): string[] {
  return detectTampering(diffOf(path, lines), isTest).map(({ kind }) => kind)
}

function added(path: string, ...lines: readonly string[]): string[] {
  return kinds(path, ...lines.map((line) => `+${line}`))
}

describe('what silences a check is flagged [S4-17]', () => {
  const SUPPRESSIONS: readonly [path: string, line: string][] = [
    ['a.py', 'import os  # noqa'],
    ['a.py', 'import os  # noqa: F401'],
    ['a.py', '# ruff: noqa'],
    ['a.py', 'x = f()  # type: ignore[arg-type]'],
    ['a.py', '# mypy: ignore-errors'],
    ['a.py', 'eval(x)  # nosec B307'],
    ['a.py', 'x = 1  # pylint: disable=invalid-name'],
    ['a.py', 'x = 1  # pyright: ignore'],
    ['a.py', 'if x:  # pragma: no cover'],
    ['a.py', 'key = "x"  # pragma: allowlist secret'],
    ['a.py', 'return cast(Any, value)'],
    ['a.ts', '// @ts-ignore'],
    ['a.ts', '// @ts-expect-error later'],
    ['a.ts', '// @ts-nocheck'],
    ['a.ts', 'return value as any'],
    ['a.ts', 'return value as unknown as Order'],
    ['a.ts', '/* eslint-disable no-console */'],
    ['a.ts', '// eslint-disable-next-line'],
    ['a.ts', '/* eslint no-console: "off" */'],
    ['a.ts', '// biome-ignore lint/suspicious/noExplicitAny: later'],
    ['a.ts', '/* istanbul ignore next */'],
    ['a.ts', '/* c8 ignore start */'],
    ['a.ts', '// prettier-ignore'],
    ['a.ts', '// deno-lint-ignore no-explicit-any'],
    ['a.js', '// $FlowFixMe[incompatible-type]'],
    ['a.go', 'x := f() //nolint:errcheck'],
    ['a.go', 'x := f() // #nosec G104'],
    ['a.go', '//lint:ignore SA1000 later'],
    ['a.rs', '#[allow(dead_code)]'],
    ['a.rs', '#![allow(clippy::all)]'],
    ['a.rs', '#[expect(unused_variables)]'],
    ['A.java', '@SuppressWarnings("unchecked")'],
    ['A.kt', '@Suppress("UNCHECKED_CAST")'],
    ['A.java', 'run(); // NOSONAR'],
    ['A.java', '// CHECKSTYLE:OFF'],
    ['A.cs', '#pragma warning disable CS0168'],
    ['A.cs', '[ExcludeFromCodeCoverage]'],
    ['a.cc', 'int x; // NOLINT(readability)'],
    ['a.c', '#pragma GCC diagnostic ignored "-Wunused"'],
    ['a.c', 'abort(); // LCOV_EXCL_LINE'],
    ['a.rb', 'x = 1 # rubocop:disable Style/Foo'],
    ['a.rb', '# :nocov:'],
    ['a.php', '// phpcs:ignore'],
    ['a.php', '// @phpstan-ignore-next-line'],
    ['a.php', '/** @psalm-suppress MixedAssignment */'],
    ['a.swift', '// swiftlint:disable force_cast'],
    ['a.sh', '# shellcheck disable=SC2086'],
    ['Dockerfile', '# hadolint ignore=DL3008'],
    ['main.tf', '#tfsec:ignore:aws-s3-enable-versioning'],
    ['a.dart', '// ignore_for_file: unused_import'],
    ['a.scala', '@nowarn("cat=deprecation")'],
    ['a.yml', '# yamllint disable-line'],
    ['a.env', '# secretlint-disable-line'],
  ]
  for (const [path, line] of SUPPRESSIONS) {
    test(`suppression: ${line}`, () => assert.deepEqual(added(path, line), ['suppression']))
  }

  const SKIPPED: readonly [path: string, line: string][] = [
    ['a.test.ts', "test.skip('adds', () => {"],
    ['a.test.ts', "it.only('adds', () => {"],
    ['a.test.ts', "describe.only('sums', () => {"],
    ['a.test.ts', "test.concurrent.skip('adds', () => {"],
    ['a.test.ts', "xit('adds', () => {"],
    ['a.test.ts', "fdescribe('sums', () => {"],
    ['a.test.ts', "test('adds', { skip: true }, () => {"],
    ['a.test.ts', '  t.skip()'],
    ['tests/test_a.py', '@pytest.mark.skip(reason="flaky")'],
    ['tests/test_a.py', '@pytest.mark.xfail'],
    ['tests/test_a.py', '    pytest.skip("later")'],
    ['tests/test_a.py', '@unittest.skip("later")'],
    ['tests/test_a.py', '        self.skipTest("later")'],
    ['ATest.java', '@Disabled("flaky")'],
    ['ATest.java', '@Ignore'],
    ['ATest.cs', '[Fact(Skip = "later")]'],
    ['a_test.go', '\tt.Skip("later")'],
    ['src/a.rs', '#[ignore]'],
    ['spec/a_spec.rb', "  skip 'later'"],
    ['tests/ATest.php', '$this->markTestSkipped();'],
    ['ATests.swift', 'throw XCTSkip("later")'],
    ['a_test.cc', 'GTEST_SKIP();'],
    ['a.test.ts', "test['skip']('adds', () => {"],
    ['tests/test_a.py', '@expectedFailure'],
  ]
  for (const [path, line] of SKIPPED) {
    test(`skipped_test: ${line.trim()}`, () => assert.deepEqual(added(path, line), ['skipped_test']))
  }

  test('a test that is deleted: the file, its name, one test of it', () => {
    const gone = diffOf('tests/test_a.py', ['-def test_a():', '-    assert f() == 1'], ['deleted file mode 100644'])
    assert.deepEqual(detectTampering(gone.replace('+++ b/tests/test_a.py', '+++ /dev/null'), isTest), [
      { file: 'tests/test_a.py', line: null, kind: 'deleted_test', text: 'the whole file is deleted' },
    ])
    const renamed =
      'diff --git a/tests/test_a.py b/old/a.py\nsimilarity index 100%\nrename from tests/test_a.py\nrename to old/a.py\n'
    assert.match(detectTampering(renamed, isTest)[0]?.text ?? '', /it was tests\/test_a\.py/)
    for (const [path, ...lines] of [
      ['tests/test_a.py', '-def test_negative():', '-    check(f(-1))'],
      ['a.test.ts', "-test('refuses what is negative', () => {", '-})'],
      ['a_test.go', '-func TestNegative(t *testing.T) {', '-}'],
      ['ATest.java', '-    @Test', '-    void negative() {}'],
      ['src/a.rs', '-    #[test]', '-    fn negative() {}'],
      ['a.test.ts', "-test('adds', () => {", "+// test('adds', () => {"],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), ['deleted_test'], lines[0])
  })

  test('a bar that is lowered: thresholds, strictness, rules, exemptions', () => {
    for (const [path, ...lines] of [
      ['jest.config.js', '-      branches: 80,', '+      branches: 50,'],
      ['pyproject.toml', '-fail_under = 90', '+fail_under = 10'],
      ['package.json', '-    "lint": "eslint . --max-warnings 0",', '+    "lint": "eslint . --max-warnings 99",'],
      ['setup.cfg', '-fail_under = 90'],
      ['tsconfig.json', '-    "strict": true,', '+    "strict": false,'],
      ['tsconfig.json', '-    "strict": true,'],
      ['tsconfig.build.json', '+    "noImplicitAny": false,'],
      ['tsconfig.json', '+    "skipLibCheck": true,'],
      ['.eslintrc.json', '+    "no-console": "off",'],
      ['.eslintrc.json', '-    "no-console": "error",', '+    "no-console": 0,'],
      ['eslint.config.js', '-  "no-console": "error",'],
      ['.eslintignore', '+src/legacy/**'],
      ['mypy.ini', '+ignore_errors = True'],
      ['pyproject.toml', '+disallow_untyped_defs = false'],
      ['pyproject.toml', '-ignore = ["E1"]', '+ignore = ["E1", "E501"]'],
      ['pyproject.toml', ' ignore = [', '   "E1",', '+  "E501",', ' ]'],
      ['.rubocop.yml', ' Style/Foo:', '+  Enabled: false'],
      ['.github/workflows/ci.yml', '+        continue-on-error: true'],
      ['Cargo.toml', '+unused = "allow"'],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), ['lowered_bar'], lines.join(' '))
  })

  test('what a check runs on, and how it is called', () => {
    for (const [path, ...lines] of [
      ['package.json', '-    "test": "vitest run",', '+    "test": "node --version",'],
      ['jest.config.js', "+  testPathIgnorePatterns: ['orders'],"],
      ['pytest.ini', '-testpaths = tests', '+testpaths = tests/fast'],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), ['changed_check'], lines.join(' '))
  })

  test('a check that is gone with its configuration, or by a part of it', () => {
    const flagsOf = (diff: string) =>
      detectTampering(diff, isTest).map(({ file, line, kind, text }) => [file, line, kind, text])
    for (const [path, ...lines] of [
      ['.eslintrc.json', '-{', '-  "rules": { "no-eval": "error" }', '-}'],
      ['jest.config.js', '-module.exports = { coverageThreshold: { global: { lines: 90 } } }'],
      ['pytest.ini', '-[pytest]', '-addopts = --strict-markers -W error'],
      ['mypy.ini', '-[mypy]', '-strict = True'],
      ['.github/workflows/ci.yml', '-on: push'],
      ['.gitlab-ci.yml', '-test: {}'],
      ['azure-pipelines.yml', '-steps: []'],
      ['codecov.yml', '-coverage: {}'],
      ['vite.config.ts', '-export default {}'],
      ['.eslintrc.cjs', '-module.exports = {}'],
      ['karma.conf.js', '-module.exports = () => {}'],
    ] as const) {
      const gone = diffOf(path, lines, ['deleted file mode 100644']).replace(`+++ b/${path}`, '+++ /dev/null')
      assert.deepEqual(flagsOf(gone), [[path, null, 'lowered_bar', 'the whole file is deleted']])
    }
    const empty = 'diff --git a/mypy.ini b/mypy.ini\ndeleted file mode 100644\nindex e69de29..0000000\n'
    assert.deepEqual(flagsOf(empty), [['mypy.ini', null, 'lowered_bar', 'the whole file is deleted']])
    for (const [from, to] of [
      ['.eslintrc.json', 'old/eslint.txt'],
      ['.eslintrc.json', 'old-eslint.txt'],
      ['mypy.ini', 'notes.ini'],
      ['tsconfig.json', 'unused/tsconfig.json'],
    ]) {
      const renamed = `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`
      assert.deepEqual(flagsOf(renamed), [[to, null, 'lowered_bar', `it was ${from}`]])
    }
    for (const [path, ...lines] of [
      ['package.json', ' "scripts": {', '-  "test": "jest"', ' }'],
      ['package.json', '-  "test": "jest",', '-  "lint": "eslint ."', '+  "test": "jest"'],
      ['jest.config.js', "-  testMatch: ['**/*.spec.js'],"],
      ['ruff.toml', '-extend-select = ["S"]'],
      ['pyproject.toml', ' select = [', '-  "E",', '-  "S"', '+  "E"', ' ]'],
      ['.golangci.yml', ' linters:', '   enable:', '-    - gosec', '     - errcheck'],
      ['.swiftlint.yml', ' opt_in_rules:', '-  - force_unwrapping', '   - empty_count'],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), ['lowered_bar'], lines.join('|'))
    for (const [path, ...lines] of [
      ['pyproject.toml', '-select = ["E", "F", "S"]', '+select = ["E"]'],
      ['.pylintrc', '-enable=[all]', '+enable=[W]'],
      ['.eslintrc.json', '-  "extends": ["eslint:recommended"],', '+  "extends": [],'],
      ['package.json', '-{"scripts":{"test":"jest","lint":"eslint"}}', '+{"scripts":{"test":"jest"}}'],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), ['changed_check'], lines.join('|'))
    const pad = 'x'.repeat(5000)
    for (const lines of [
      [`-{"scripts":{"test":"jest"},"d":"${pad}"}`, `+{"scripts":{"test":"true"},"d":"${pad}"}`],
      [`-{"scripts":{"test":"jest"},"d":"${pad}"}`, '+{}'],
    ])
      assert.deepEqual(kinds('package.json', ...lines), ['unreadable'])
  })

  test('a check whose failure nobody hears of any more', () => {
    for (const [path, line] of [
      ['Makefile', '\tpytest || :'],
      ['package.json', '"test": "vitest --passWithNoTests",'],
      ['.gitlab-ci.yml', '  - npm run lint || echo failed'],
    ] as const)
      assert.deepEqual(added(path, line), ['lowered_bar'], line)
  })

  test('what nobody can read', () => {
    assert.deepEqual(added('a.js', `x = 1 ${' '.repeat(5000)} // eslint-disable-line`), ['unreadable'])
    const binary = 'diff --git a/a.py b/a.py\nindex 1..2 100644\nBinary files a/a.py and b/a.py differ\n'
    assert.deepEqual(
      detectTampering(binary, isTest).map(({ kind, line }) => [kind, line]),
      [['unreadable', null]],
    )
  })

  test('of a folder of packages that an agent added only so much is looked at, the short files first, and the rest flagged last', () => {
    const long = Array.from(
      { length: 20_000 },
      (_, at) => `+const value${at} = compute(${at}, options.something) // as it was`,
    )
    const many = Array.from({ length: 8 }, (_, at) => diffOf(`packages/${at}.js`, long))
    const diff = [...many, diffOf('z.py', ['+x = 1  # noqa'])].join('')
    const [first, ...others] = detectTampering(diff, isTest)
    assert.deepEqual([first?.file, first?.kind], ['z.py', 'suppression'])
    assert.ok(others.length > 0 && others.length < 8)
    assert.ok(others.every(({ kind, line }) => kind === 'unreadable' && line === null))
  })

  test('of a long file that is written anew each test and each bar is looked at, and not beside each other one', () => {
    const tests = (mark: string, how: string) =>
      Array.from({ length: 20_000 }, (_, at) => `${mark}test('adds ${at}', ${how})`)
    const rewritten = [...tests('-', 'add'), "-test('subtracts', add)", ...tests('+', 'sum')]
    assert.deepEqual(kinds('a.test.ts', ...rewritten), ['deleted_test'])
    const items = (mark: string, word: string) => Array.from({ length: 20_000 }, (_, at) => `${mark} - ${word}${at}`)
    assert.deepEqual(
      kinds('.golangci.yml', ' enable:', ...items('-', 'a'), '- - b', ...items('+', 'a')),
      ['lowered_bar'],
      'only the one that did not come again',
    )
    const bars = (line: string) => Array.from({ length: 40_000 }, () => line)
    assert.deepEqual(
      kinds('jest.config.js', ...bars('-  branches: 80,'), ...bars('+  lines: 80,'), '+  branches: 70,'),
      ['lowered_bar', 'lowered_bar'],
      'the one that is lower, and those that are gone',
    )
  })

  test('a file with nothing but such lines has as many flags, and none is too many to be handed on', () => {
    const lines = Array.from({ length: 200_000 }, () => '+#noqa')
    assert.equal(detectTampering(diffOf('a.py', lines), isTest).length, lines.length)
  })

  test('a flag has the line as the file now has it, and no more of it than is fit for a list', () => {
    const [flag] = detectTampering(diffOf('a.py', [' x = 1', '-y = 2', `+${'y'.repeat(900)} = 2  # noqa`]), isTest)
    assert.equal(flag?.line, 8)
    assert.equal(flag.text.length, 200)
  })
})

describe('what silences nothing is not flagged', () => {
  test('settings that are no check’s, and what is only named after one', () => {
    const paths = [
      ...['deploy/old.yaml', 'config/locales/en.yml', 'docker-compose.yml', 'src/coverage.ts', 'docs/coverage.md'],
      ...['src/insurance/CoverageTable.tsx', 'pkg/sonar/client.go', 'docs/coverage-badge.png'],
    ]
    for (const path of paths) {
      const gone = diffOf(path, ['-a: b'], ['deleted file mode 100644']).replace(`+++ b/${path}`, '+++ /dev/null')
      const renamed = `diff --git a/${path} b/other/x\nsimilarity index 100%\nrename from ${path}\nrename to other/x\n`
      assert.deepEqual([detectTampering(gone, isTest), detectTampering(renamed, isTest)], [[], []], path)
    }
    for (const [path, ...lines] of [
      ['openapi.yaml', '-  select: "Choose one"', '+  select: "Choose another"'],
      ['docker-compose.yml', '-    extends: { file: a.yml }', '+    extends: { file: b.yml }'],
      ['config/features.yaml', ' enable:', '-  - one', '   - two'],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), [], lines.join('|'))
  })

  test('ordinary work', () => {
    for (const [path, ...lines] of [
      ['a.py', '-    return total / count', '+    return total / count if count else 0'],
      ['a.py', '+    except ValueError:', '+        pass'],
      ['a.py', '+    items = queue.skip(10)'],
      ['a.py', '+    model.fit(x, y)'],
      ['a.ts', '+  if (only === undefined || true === all) return cursor.skip(10).only'],
      ['a.ts', '+  const found = pattern.test("x") || it.next()'],
      ['README.md', '+Use `# noqa` or `// @ts-ignore` as you like.'],
      ['tests/test_a.py', '+def test_b():', '+    assert f(2) == 4'],
      ['a.test.ts', "+test('adds', () => {", '+  expect(sum(1, 2)).toBe(3)', '+})'],
      ['tests/test_a.py', '-    assert f(1) == 4', '+    assert f(1) == 3'],
      ['src/__snapshots__/a.test.ts.snap', '-  <b>3</b>', '+  <b>4</b>'],
      ['jest.config.js', '-      branches: 50,', '+      branches: 80,'],
      ['tsconfig.json', '-    "strict": false,', '+    "strict": true,'],
      ['a.test.ts', "+test('adds', () => {", '+  return check(1)', '+})'],
      ['tests/test_a.py', '+    assert total == 1'],
      ['package.json', '-    "left-pad": "1.0.0"', '+    "left-pad": "1.0.1"'],
      ['a.json', '+  "strict": false,'],
      ['a.json', `-{"data":"${'x'.repeat(5000)}"}`, `+{"data":"${'y'.repeat(5000)}"}`],
      ['package.json', '-  "test": "jest"', '+  "test": "jest",', '+  "build": "tsc"'],
      ['package.json', '+  "test": "jest"', '   "build": "tsc",', '-  "test": "jest"'],
      ['pyproject.toml', ' select = [', '-  "E"', '+  "E",', '+  "S"', ' ]'],
      ['pyproject.toml', ' select = [', '-  "S",', '   "E",', '+  "S",', ' ]'],
      ['a.py', '-select = ["E", "F"]', '+select = ["E"]'],
      ['check.sh', '-npm test || true', '+npm test'],
      ['a.py', '-x = 1  # noqa', '+x = 1'],
      ['a.test.ts', "-test.skip('adds', () => {", "+test('adds', () => {"],
    ] as const)
      assert.deepEqual(kinds(path, ...lines), [], lines.join('|'))
  })

  test('what was silenced before, where its line changed otherwise or only moved', () => {
    assert.deepEqual(kinds('a.py', '-x = f(1)  # noqa: E501', '+x = f(2)  # noqa: E501'), [])
    assert.deepEqual(
      kinds('a.py', '-x = f(1)  # noqa: E501', '+x = f(2)  # noqa'),
      ['suppression'],
      'it reaches further',
    )
    assert.deepEqual(kinds('a.py', '-x = 1  # noqa', '+x = 1  # noqa', '+y = 2  # noqa'), ['suppression'])
    const [from, to] = ['-    x = f(1)  # type: ignore', '+x = f(1)  # type: ignore']
    assert.deepEqual(detectTampering(diffOf('a.py', [from]) + diffOf('b.py', [to]), isTest), [])
    const test = ["-test('adds', () => {", '-  expect(sum(1, 2)).toBe(3)', '-})']
    const moved =
      diffOf('a.test.ts', test) +
      diffOf(
        'b.test.ts',
        test.map((line) => line.replace('-', '+')),
      )
    assert.deepEqual(detectTampering(moved, isTest), [])
  })

  test('any lines that move, and any text that is no diff', () => {
    const word = fc.constantFrom(
      'x = 1',
      '# noqa',
      'assert a == b',
      'def test_a():',
      '  pass',
      'it.only("x", f)',
      '|| true',
      '}',
    )
    const line = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        const gone = diffOf(
          'tests/a.sh',
          lines.map((each) => `-${each}`),
        )
        const come = diffOf(
          'tests/b.sh',
          lines.map((each) => `+${each}`),
        )
        assert.deepEqual(detectTampering(gone + come, isTest), [])
        assert.deepEqual(detectTampering(come, isTest), detectTampering(come, isTest))
      }),
    )
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void detectTampering(`diff --git ${text}`, isTest)))
  })
})
