// The summaries that runners print, read from what real ones printed (outputs/): pytest 9.2, unittest of Python 3.11, jest, vitest 4.1, mocha,
// node 26, go 1.26, cargo 1.95, PHPUnit 9.6, RSpec 3.12, ctest, Maven with Surefire 3.2, tsc, eslint 9, ruff, mypy and flake8.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSummary } from '../../../../src/domain/verification/summaries/output-summary.ts'
import { findPrinted, formatRunners, PRINTED, summarize } from './support.ts'

const expected: Readonly<Record<string, string>> = {
  'cargo green': 'cargo ran 2 passed 1 skipped',
  'cargo red': 'cargo ran 1 passed 2 failed 1 failedFiles [tests::three, tests::two]',
  'cargo broken': 'cargo build_failed 2 errors',
  'cargo none': 'cargo nothing_collected',
  'cargo nofail': 'cargo ran 2 passed 2 failed 1 failedFiles [tests::two, tests::three]',
  'cargo color': 'cargo ran 1 passed 2 failed 1 failedFiles [tests::two, tests::three]',
  'cargo filter': 'cargo nothing_collected',
  'cargo nextest': 'could_not_start: error: no such command: `nextest`',
  'cargo nomanifest': 'could_not_start: error: could not find `Cargo.toml` in `/lab/empty` or any parent directory',
  'ctest green': 'ctest ran 1 passed',
  'ctest red': 'ctest ran 1 passed 2 failed [bad, absent]',
  'ctest none': 'ctest nothing_collected',
  'ctest nothing': 'ctest nothing_collected',
  'eslint red': 'eslint ran 1 errors',
  'eslint warn': 'eslint ran',
  'eslint syntax': 'eslint ran 1 errors 1 failedFiles',
  'eslint color': 'eslint ran 1 errors',
  'eslint nofile': 'could_not_start: Oops! Something went wrong! :(',
  'flake8 red': 'ruff/flake8 ran 2 errors',
  'flake8 count': 'ruff/flake8 ran 2 errors',
  'go green': 'go ran 1 passed',
  'go green-v': 'go ran 3 passed 1 skipped',
  'go red': 'go ran 1 passed 3 failed 1 failedFiles [TestTwo, TestSub, TestSub/deep_one]',
  'go red-v': 'go ran 4 passed 3 failed 1 skipped 1 failedFiles [TestTwo, TestSub, TestSub/deep_one]',
  'go red-json':
    'go ran 4 passed 3 failed 1 errors 1 skipped 2 failedFiles [example.test/lab/red TestTwo, example.test/lab/red TestSub/deep_one, example.test/lab/red TestSub]',
  'go broken': 'go ran 1 passed 1 errors 1 failedFiles',
  'go types': 'go ran 1 passed 1 errors 1 failedFiles',
  'go none': 'go nothing_collected',
  'go nomatch': 'go nothing_collected',
  'go panic': 'go ran 1 passed 1 failed 1 failedFiles [TestTwo]',
  'go vet': 'go build_failed 1 errors',
  'go build-types': 'go build_failed 2 errors',
  'go nopkg': 'go build_failed 1 errors 1 failedFiles',
  'go nogo':
    "could_not_start: go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
  'go badversion': 'could_not_start: go: go.mod requires go >= 1.99.0 (running go 1.26.8; GOTOOLCHAIN=local)',
  'jest green': 'jest ran 3 passed 1 skipped',
  'jest red': 'jest ran 3 passed 1 failed 1 skipped 1 failedFiles [sum › deep › carries]',
  'jest broken': 'jest ran 1 passed 1 errors 1 failedFiles',
  'jest imp': 'jest build_failed 1 errors 1 failedFiles',
  'jest none': 'jest nothing_collected',
  'jest color': 'jest ran 3 passed 1 failed 1 skipped 1 failedFiles [sum › deep › carries]',
  'jest snapshot': 'jest ran 1 failed 4 skipped 1 failedFiles [sum › deep › carries]',
  'mocha green': 'mocha ran 2 passed 1 skipped',
  'mocha red': 'mocha ran 1 passed 1 failed 1 skipped [carries]',
  'mocha broken': 'mocha build_failed',
  'mocha none': 'mocha nothing_collected',
  'mocha color': 'mocha ran 1 passed 1 failed 1 skipped [carries]',
  'mocha dot': 'mocha ran 1 passed 1 failed 1 skipped',
  'mocha nomod':
    "could_not_start: ✖ ERROR: Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'no-such' imported from /lab/node_modules/mocha/lib/nodejs/esm-utils.cjs",
  'mocha tap': 'tap ran 1 passed 1 failed',
  'mvn green': 'maven ran 1 passed 1 skipped',
  'mvn red': 'maven ran 2 passed 1 failed 1 errors 1 skipped [x.BTest.err, x.BTest.two]',
  'mvn broken': 'maven build_failed 1 errors',
  'mypy green': 'mypy ran',
  'mypy red': 'mypy ran 2 errors',
  'mypy syntax': 'mypy ran 1 errors 1 failedFiles',
  'node green-spec': 'node:test ran 2 passed 2 skipped',
  'node red-spec': 'node:test ran 1 passed 1 failed 2 skipped [carries]',
  'node broken-spec': 'node:test ran 2 passed 1 errors 2 skipped [a.test.mjs]',
  'node nest-spec': 'node:test build_failed 1 errors [a.test.mjs]',
  'node none-spec': 'node:test nothing_collected',
  'node color': 'node:test ran 1 passed 1 failed 2 skipped [carries]',
  'node red-tap': 'tap ran 1 passed 1 failed 2 skipped',
  'node none-tap': 'tap nothing_collected',
  'node missing': "could_not_start: Could not find 'no-such.mjs'",
  'node modulemissing': "could_not_start: Error: Cannot find module '/lab/n/red/run-tests.js'",
  'phpunit green': 'phpunit ran 2 passed',
  'phpunit red': 'phpunit ran 1 passed 1 failed 1 errors 1 skipped [ATest::testErr, ATest::testTwo]',
  'phpunit broken': 'phpunit build_failed',
  'phpunit none': 'phpunit nothing_collected',
  'phpunit none-path': 'could_not_start: Cannot open file "nosuch".',
  'phpunit testdox': 'phpunit ran 1 passed 1 failed 1 errors 1 skipped',
  'pytest green': 'pytest ran 2 passed 2 skipped',
  'pytest red':
    'pytest ran 4 passed 2 failed 1 errors 1 skipped [test_a.py::test_two, test_a.py::test_many[3], test_a.py::test_needs]',
  'pytest broken': 'pytest build_failed 1 errors [test_a.py]',
  'pytest imp': 'pytest build_failed 1 errors [test_a.py]',
  'pytest none': 'pytest nothing_collected',
  'pytest conf': "could_not_start: ImportError while loading conftest '/lab/conf/conftest.py'.",
  'pytest quiet':
    'pytest ran 4 passed 2 failed 1 errors 1 skipped [test_a.py::test_two, test_a.py::test_many[3], test_a.py::test_needs]',
  'pytest color':
    'pytest ran 4 passed 2 failed 1 errors 1 skipped [test_a.py::test_two, test_a.py::test_many[3], test_a.py::test_needs]',
  'pytest xdist':
    'pytest ran 4 passed 2 failed 1 errors 1 skipped [test_a.py::test_two, test_a.py::test_many[3], test_a.py::test_needs]',
  'pytest x': 'pytest ran 1 passed 1 failed [test_a.py::test_two]',
  'pytest nofile': 'pytest nothing_collected',
  'pytest deselect': 'pytest nothing_collected',
  'pytest badoption': 'could_not_start: python -m pytest: error: unrecognized arguments: --no-such-option',
  'pytest nomodule': 'could_not_start: /usr/bin/python3: No module named pytest',
  'pytest short-off': 'pytest ran 4 passed 2 failed 1 errors 1 skipped',
  'rspec green': 'rspec ran 1 passed 1 skipped',
  'rspec red': 'rspec ran 1 passed 1 failed 1 skipped [sum breaks]',
  'rspec broken': 'rspec build_failed 1 errors',
  'rspec none': 'rspec nothing_collected',
  'rspec color': 'rspec ran 1 passed 1 failed 1 skipped [sum breaks]',
  'rspec nofile': 'rspec build_failed 1 errors',
  'ruff green': 'ruff/flake8 ran',
  'ruff red': 'ruff/flake8 ran 3 errors',
  'ruff concise': 'ruff/flake8 ran 3 errors',
  'ruff syntax': 'ruff/flake8 ran 3 errors 3 failedFiles',
  'start npm-missing': 'could_not_start: npm error Missing script: "test"',
  'start npm-nopkg':
    "could_not_start: npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/lab/empty/package.json'",
  'start make-none': "could_not_start: make: *** No rule to make target 'test'.  Stop.",
  'start make-missing': 'could_not_start: make: no-such-runner: No such file or directory',
  'start sh-missing': 'could_not_start: sh: 1: no-such-runner: not found',
  'start sh-noexec': 'could_not_start: sh: 1: ./plain: Permission denied',
  'start sh-nofile': 'could_not_start: sh: 1: ./scripts/test.sh: not found',
  'start bash-missing': 'could_not_start: bash: line 1: no-such-runner: command not found',
  'start py-nofile':
    "could_not_start: /usr/bin/python3: can't open file '/lab/empty/nothere.py': [Errno 2] No such file or directory",
  'start sh-cd': 'none',
  'tsc red': 'tsc ran 2 errors',
  'tsc pretty': 'tsc ran 3 errors',
  'tsc missing': "could_not_start: error TS5058: The specified path does not exist: '/lab/t/no-such.json'.",
  'unittest green': 'unittest ran 1 passed 2 skipped',
  'unittest red':
    'unittest ran 1 passed 1 failed 1 errors 1 skipped [test_err (test_a.T.test_err), test_two (test_a.T.test_two)]',
  'unittest broken': 'unittest build_failed 1 errors [test_a (unittest.loader._FailedTest.test_a)]',
  'unittest none': 'unittest nothing_collected',
  'unittest v':
    'unittest ran 1 passed 1 failed 1 errors 1 skipped [test_err (test_a.T.test_err), test_two (test_a.T.test_two)]',
  'unittest nomod': 'unittest build_failed 1 errors [no_such_module (unittest.loader._FailedTest.no_such_module)]',
  'vitest green': 'vitest ran 3 passed 1 skipped',
  'vitest red': 'vitest ran 3 passed 1 failed 1 skipped 1 failedFiles [a.test.js > sum > deep > carries]',
  'vitest broken': 'vitest ran 1 passed 1 errors 1 failedFiles [a.test.js [ a.test.js ]]',
  'vitest imp': 'vitest build_failed 1 errors 1 failedFiles [a.test.js [ a.test.js ]]',
  'vitest none': 'vitest nothing_collected',
  'vitest unhandled': 'vitest ran 4 passed 1 errors 1 skipped',
  'vitest badconfig': 'could_not_start: failed to load config from /lab/v/red/no-such.ts',
  'vitest tap': 'tap ran 1 passed 1 failed',
}

test('each output of a runner has its expected summary, and none is left over', () => {
  assert.deepEqual(
    PRINTED.map(({ name }) => name),
    Object.keys(expected),
  )
})

for (const { name, text, exitStatus } of PRINTED) {
  test(`the summary of ${name} is read`, () => {
    assert.equal(formatRunners(summarize(text, exitStatus)), expected[name])
  })
}

/** As their documentation shows them: these runners are not on this machine. */
const documented: Readonly<Record<string, readonly [text: string, summary: string]>> = {
  'cargo nextest': [
    `        PASS [   0.004s] lab tests::one
        FAIL [   0.005s] (2/3) lab tests::two
     Summary [   0.012s] 3 tests run: 2 passed (1 slow), 1 failed, 1 skipped
        FAIL [   0.005s] (2/3) lab tests::two
error: test run failed`,
    'nextest ran 2 passed 1 failed 1 skipped [lab tests::two]',
  ],
  'gradle, a test failed': [
    `> Task :compileTestJava
> Task :test FAILED

ATest > two() FAILED
    org.opentest4j.AssertionFailedError at ATest.java:12

3 tests completed, 1 failed, 1 skipped

BUILD FAILED in 3s`,
    'gradle ran 1 passed 1 failed 1 skipped [ATest > two()]',
  ],
  'gradle, nothing compiles': [
    `> Task :app:compileJava FAILED

FAILURE: Build failed with an exception.

BUILD FAILED in 1s`,
    'gradle build_failed 1 errors',
  ],
  "JUnit's console launcher": [
    `[         5 tests found           ]
[         1 tests skipped         ]
[         3 tests successful      ]
[         1 tests failed          ]`,
    'junit ran 3 passed 1 failed 1 skipped',
  ],
  'TAP that has no counts of its own': [
    `1..4
ok 1 - one
not ok 2 - two
ok 3 - three # SKIP later
    ok 1 - inner
ok 4 four`,
    'tap ran 2 passed 1 failed 1 skipped',
  ],
  'unittest, where all tests fail and one module besides can not be imported': [
    `ERROR: test_b (unittest.loader._FailedTest.test_b)
ERROR: test_a (test_a.T.test_a)
Ran 2 tests in 0.001s

FAILED (errors=2)`,
    'unittest ran 2 errors [test_b (unittest.loader._FailedTest.test_b), test_a (test_a.T.test_a)]',
  ],
  'TAP without a plan': ['ok 1 - one\nnot ok 2 - two', 'none'],
}

for (const [name, [text, summary]] of Object.entries(documented)) {
  test(`the summary of ${name} is read`, () => assert.equal(formatRunners(summarize(text)), summary))
}

test('several runners in one output are listed, and runs of the same runner are summed up', () => {
  const text = ['eslint red', 'jest red', 'jest green', 'vitest green'].map((name) => findPrinted(name).text).join('\n')
  assert.equal(
    formatRunners(summarize(text)),
    'jest ran 6 passed 1 failed 2 skipped 1 failedFiles [sum › deep › carries]; vitest ran 3 passed 1 skipped; eslint ran 1 errors',
  )
})

for (const prefix of [
  'web:test: ',
  '@acme/web: ',
  'packages/web test: ',
  '[@acme/web]: ',
  '[0] ',
  '@acme/web#test: ',
  'web-1  | ',
]) {
  for (const name of ['jest red', 'vitest red', 'pytest color', 'mocha color', 'go red', 'mvn red', 'cargo color']) {
    test(`the summary of ${name} is read behind the prefix "${prefix}"`, () => {
      const text = findPrinted(name).text.replace(/^/gm, prefix)
      assert.equal(formatRunners(summarize(text)), expected[name])
    })
  }
}

test('text that a terminal would overwrite is passed over', () => {
  assert.equal(formatRunners(summarize('building 1%\rbuilding 99%\r3 passed in 0.10s\r')), 'pytest ran 3 passed')
})

test('a green command has started, whatever it printed', () => {
  assert.equal(summarize(findPrinted('start npm-missing').text, 0), undefined)
})

test('a command in which a suite ran has started, whatever is missing besides', () => {
  const text = `${findPrinted('jest red').text}\n${findPrinted('start sh-missing').text}`
  assert.equal(formatRunners(summarize(text, 127)), expected['jest red'])
})

test('a program that is missing without the status of a shell is no start that failed', () => {
  assert.equal(summarize('run.sh: line 3: jq: command not found\n12 checks, 1 wrong', 1), undefined)
})

test('an exit status of a shell alone says that the command could not start', () => {
  assert.equal(formatRunners(summarize('', 127)), 'could_not_start: exit status 127')
})

test('a file of the repository that its own code does not find may be the finding, and is no start that failed', () => {
  const text = `Error: Cannot find module './parse'
Require stack:
- /lab/src/index.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/lab/src/index.js' ]
}`
  assert.equal(summarize(text), undefined)
})

test('a summary is described in a few words', () => {
  const describe = (name: string) => describeSummary(summarize(findPrinted(name).text, findPrinted(name).exitStatus)!)
  assert.equal(describe('pytest red'), '4 of 8 passed, 2 failed, 1 error(s), 1 skipped')
  assert.equal(describe('cargo broken'), 'the build failed, 2 error(s)')
  assert.equal(describe('jest none'), 'no tests were found')
  assert.equal(describe('start sh-nofile'), 'the command could not start: sh: 1: ./scripts/test.sh: not found')
})
