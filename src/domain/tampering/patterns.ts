// Words by which a line tells a check to look away, as data: one row a group. Lines are matched by form only.
import type { FileRole } from './file-roles.ts'
import type { TamperingKind } from './tampering-flag.ts'

/** Nobody reads longer lines, and no pattern is matched against them. */
export const MAX_LINE = 4_000

export interface PatternRow {
  readonly kind: TamperingKind
  readonly role: FileRole
  /** The side of the diff that counts: new lines, or removed lines. */
  readonly side: 'old' | 'new'
  /** A removed line is identified by the first group, a new line by the whole match. */
  readonly patterns: readonly RegExp[]
}

const TOOLS =
  'eslint|tslint|jshint|jscs|oxlint|biome|stylelint|deno-lint|deno-coverage|xo|pylint|pyright|pyre|mypy|ruff|flake8|isort|yapf|fmt|' +
  'codespell|rubocop|reek|brakeman|steep|erb-lint|swiftlint|swift-format|ktlint|detekt|checkstyle|scalastyle|scalafix|phpcs|phpstan|' +
  'psalm|phpmd|codeCoverage|codingStandards|shellcheck|hadolint|yamllint|ansible-lint|markdownlint|sqlfluff|tflint|tfsec|checkov|trivy|' +
  'kics|snyk|semgrep|gitleaks|trufflehog|bandit|gosec|revive|exhaustive|luacheck|selene|credo|coveralls|cppcheck|clang-tidy|' +
  'clang-format|slither|solhint|svelte|buf:lint|cspell|prettier|istanbul|c8|v8|vitest|nyc|node:coverage|resharper|html-validate|secretlint|vale'

/** The rest of a comment's line is matched too: a suppression that names more than before is a new one. */
const SUPPRESSIONS: readonly RegExp[] = [
  new RegExp(
    `(?<![\\w-])(?:${TOOLS})[\\s:@_-]{0,3}(?:disable|ignore|skip|suppress|allow|off|nocheck|unsafe|fixme|todo).*`,
    'i',
  ),
  /#\s*(?:\w+\s*:\s*)?noqa\b.*/i,
  /#\s*type:\s*ignore.*/i,
  /#\s*mypy:\s*\w.*/i,
  /#\s*typed:\s*(?:false|ignore)\b/,
  /(?<!\w)no(?:sec|sonar|semgrep|lint\w*|inspection|warn)\b.*/i,
  /@ts-(?:ignore|expect-error|nocheck).*/,
  /\$Flow(?:FixMe|Ignore|ExpectedError).*/,
  /@no(?:flow|_type_check)\b/,
  /\bpragma:\s*(?:no\s*(?:cover|branch)|allowlist).*/i,
  /#!?\[\s*(?:cfg_attr\([^\]]*?)?(?:allow|expect)\s*\([^)]*\)?/,
  /#!?\[\s*(?:rustfmt::skip|coverage\(off\))/,
  /@(?:file:)?Suppress(?:Warnings|Lint|FBWarnings)?\b(?:\s*\([^)]*\))?/,
  /\[\s*(?:assembly:\s*)?(?:SuppressMessage|ExcludeFromCodeCoverage)\b/,
  /#\s*pragma\s+(?:warning\s*\(?\s*disable|(?:GCC|clang)\s+diagnostic\s+ignored).*/,
  /#nullable\s+disable\b/,
  /\b(?:L|G)COVR?_EXCL\w*|:nocov:|\$COVERAGE-OFF\$|\blint_off\b|## no critic.*/,
  /\/\/\s*(?:lint:(?:file-)?ignore|ignore(?:_for_file)?:).*/,
  /\{-#\s*(?:OPTIONS_GHC\s+-Wno|HLINT\s+ignore).*/i,
  /__attribute__\s*\(\(.*no_sanitize|@dialyzer\b.*nowarn.*/,
  /\/\*\s*eslint\s[^*]*/,
  /(?<!\S)-Wno-[\w=-]+/,
  /\bas\s+(?:any|unknown\s+as)\b|\bcast\(\s*(?:typing\.)?["']?Any\b/,
]

const SKIPPED: readonly RegExp[] = [
  /\b(?:it|test|describe|suite|context|specify|bench|scenario)(?:\.\w+)*?\.(?:skip|skipIf|only|todo|fails|failing|fixme)\b/,
  /\bpytest\.(?:mark\.(?:skip|skipif|xfail)|skip|xfail|importorskip)\b/,
  /\bunittest\.(?:skip\w*|expectedFailure|SkipTest)\b|\.skipTest\(|\b__test__\s*=\s*False|\bcollect_ignore(?:_glob)?\b/,
  /\b(?:it|test|describe|suite)\[\s*['"`](?:skip|only|todo)/,
  /@(?:expectedFailure|skip(?:If|Unless)?)\b/,
  /@(?:Disabled|Ignore)(?:On\w+|If\w*|For\w+|Until)?\b/,
  /\[\s*(?:Fact|Theory)\s*\([^)]*Skip\s*=|\[\s*Ignore\b/,
  /\b[tbf]\.Skip(?:f|Now)?\(/,
  /^\s*\/\/\s*(?:go:build|\+build)\s+ignore\b/,
  /#\[\s*(?:cfg_attr\([^\]]*)?ignore\b/,
  /\bmarkTest(?:Skipped|Incomplete)\b|\bXCTSkip\w*|\bGTEST_SKIP\b|\bDISABLED_\w+|@(?:module)?tag\s+:?skip\b/,
]

/** These words are ordinary outside of tests. */
const SKIPPED_IN_TESTS: readonly RegExp[] = [
  /(?<![\w.$])(?:xit|xtest|xdescribe|xcontext|xspecify|xexample|fit|fdescribe|fcontext|fspecify|ftest)\s*[('"`]/,
  /\b(?:this|t|ctx|context|testInfo)\.(?:skip|todo)\(/,
  /(?<![\w.])skip\w*\s*\(\s*(?:\)|['"`])/,
  /(?<![\w.$])(?:skip|todo|only)['"]?\s*:\s*(?:true\b|['"`])|(?<![\w.])skip\s*=\s*(?:True\b|true\b|['"])/,
  /^\s*(?:skip|pending)\b(?:\s+(?:['"]|if\b|unless\b)|\s*$)/,
  /\bassum(?:e|ing)(?:That|True|False|Not\w+)?\(/,
]

/** The first line of a test, with its name, or with its annotation if the name stands elsewhere. Comments do not match. */
const TESTS: readonly RegExp[] = [
  /^\s*(?:async\s+)?def\s+(test\w*)/,
  /^(?!\s*(?:\/\/|\/?\*|#)).*?(?<![\w.$])(?:it|test|specify|describe|suite|scenario|bench|Deno\.test)(?:\.\w+)*\s*\(\s*['"`](.+?)['"`]\s*[,)]/,
  /^func\s+(?:\([^)]*\)\s*)?((?:Test|Fuzz|Example|Benchmark)\w*)\s*\(/,
  /^(?!\s*(?:\/\/|\/?\*|#)).*?\bfunc(?:tion)?\s+(test\w*)\s*\(/,
  /^\s*(?:it|specify|test|scenario|example)\s+(['"].+?['"])/,
  /^\s*TEST(?:_[FP])?\s*\(\s*(\w+\s*,\s*\w+)/,
  /^\s*(?:TEST_CASE|SCENARIO|SECTION)\s*\(\s*"(.+?)"/,
  /^\s*@test\s+(['"].+?['"])/,
  /^\s*(@(?:Test|ParameterizedTest|RepeatedTest)\b)/,
  /^\s*(\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)/,
  /^\s*(#\[(?:\w+::)*test\b)/,
]

const WEAKENED: readonly RegExp[] = [
  /["']?\b(?:strict\w*|no[A-Z]\w+|always\w*|exact\w*|checkJs|disallow_\w+|warn_\w+|check_untyped_defs|no_implicit\w*|\w*[Ww]arningsAsErrors|[fF]ail_?[oO]n\w*|[eE]nabled?|halt_?[oO]n_?[eE]rror|abort_?[oO]n_?[eE]rror)["']?\s*[:=>]\s*["']?(?:false|no|off|none|0)\b/i,
  /["']?\b(?:skip\w*|allow\w+|ignore\w*|suppress\w*|passWithNoTests|continue-on-error|testFailureIgnore|disabled?|silent)["']?\s*[:=>]\s*["']?(?:true|yes|on|1)\b/i,
  /:\s*\[?\s*["'](?:off|warn|none)["']|["'][@\w/-]+["']\s*:\s*\[?\s*0\b/,
  /=\s*["'](?:allow|off)["']/,
  /\b(?:extend[-_])?(?:ignore|exclude|disable|omit|per-file-ignores|skips|suppressions|allow)\w*["']?\s*[:=]\s*["'[{]*[\w*@./-].*/,
  // A check whose failure goes unnoticed.
  /\|\|\s*(?:true|:|\/bin\/true|exit\s+0|echo|printf)(?![\w-])/,
  /--(?:exit-zero|passWithNoTests|pass-with-no-tests|no-fail|skip-tests)\b|-D(?:skipTests|maven\.test\.(?:skip|failure\.ignore))\b/,
]

const STRICT: readonly RegExp[] = [
  /["']?\bstrict\w*["']?\s*[:=>]\s*["']?(?:true|on|yes|1)\b/i,
  /-Werror\b|--strict\b|--max-warnings\b/,
  /["'](?:error|deny|forbid)["']/,
]

/** How a check is run, and on which files. */
const COMMANDS: readonly RegExp[] = [
  /"((?:pre|post)?(?:test|lint|check|type-?check|verify)[\w:-]*)"\s*:\s*".*"/,
  /\b(testMatch|testRegex|testPathIgnorePatterns|testpaths|python_files|addopts|norecursedirs|testDir|testIgnore|spec_pattern|specPattern)\b.*/,
]

/** The rules that a check applies. */
const DEMANDS = '(?:extend[-_])?select|enable(?:_error_code)?|only_rules|opt_in_rules|extends'
const DEMAND: readonly RegExp[] = [new RegExp(`(?<![\\w-])(${DEMANDS})["']?\\s*[:=]\\s*[["'{].*`)]

export const PATTERN_ROWS: readonly PatternRow[] = [
  { kind: 'suppression', role: 'code', side: 'new', patterns: SUPPRESSIONS },
  { kind: 'skipped_test', role: 'code', side: 'new', patterns: SKIPPED },
  { kind: 'skipped_test', role: 'test', side: 'new', patterns: SKIPPED_IN_TESTS },
  { kind: 'deleted_test', role: 'code', side: 'old', patterns: TESTS },
  { kind: 'lowered_bar', role: 'exemptions', side: 'new', patterns: [/^\s*[^#\s].*/] },
  { kind: 'lowered_bar', role: 'config', side: 'new', patterns: WEAKENED },
  { kind: 'lowered_bar', role: 'config', side: 'old', patterns: [...STRICT, ...COMMANDS] },
  { kind: 'lowered_bar', role: 'checker', side: 'old', patterns: DEMAND },
  { kind: 'changed_check', role: 'config', side: 'new', patterns: COMMANDS },
  { kind: 'changed_check', role: 'checker', side: 'new', patterns: DEMAND },
]

interface ListRow extends Pick<PatternRow, 'role' | 'side'> {
  /** Matches the end of the line before the first item. */
  readonly opens: RegExp
}

/** Lists over several lines: a new item exempts something, and the rule of a removed item is no longer applied. */
export const LIST_ROWS: readonly ListRow[] = [
  {
    role: 'config',
    side: 'new',
    opens: /\b(?:ignore|exclude|disable|omit|skips|suppressions|allow)\w*["']?\s*(?:[:=]\s*[[({]|:)\s*$/i,
  },
  { role: 'checker', side: 'old', opens: new RegExp(`(?<![\\w-])(?:${DEMANDS})["']?\\s*(?:[:=]\\s*\\[|:)\\s*$`) },
]

const THRESHOLD =
  /(?<![\w.-])([\w.-]{0,60}?(?:coverage|threshold|branches|functions|lines|statements|fail[-_]?under|minimum\w*|min[-_]?(?:score|level|coverage)\w*|max[-_]?(?:warnings|complexity|len\w*|depth|params|args\w*|errors|issues|violations|allowed\w*)|score|level))["']?(?:\s*[:=>]\s*|\s+)["']?(\d+(?:\.\d+)?)/gi

export interface Threshold {
  readonly name: string
  readonly value: number
  /** The number is an upper bound, so lower is stricter. */
  readonly isMaximum: boolean
}

/** The numbers in a line that something has to reach, or must not exceed. */
export function findThresholds(text: string): Threshold[] {
  return [...text.matchAll(THRESHOLD)].map(([, name = '', value]) => ({
    name: name.toLowerCase(),
    value: Number(value),
    isMaximum: /max|complexity|warnings/i.test(name),
  }))
}
