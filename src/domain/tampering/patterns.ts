// By which words a line tells a check to look away: a linter, a type checker, a test runner, a coverage threshold, an exit status.
// One line at a time, and only what such words look like: that something is said by other means is not seen here.
import { z } from 'zod'

export const TAMPERING_KINDS = [
  'suppression',
  'skipped_test',
  'deleted_test',
  'lost_assertions',
  'loosened_assertion',
  'changed_expectation',
  'lowered_bar',
  'changed_check',
  'swallowed_error',
  'swallowed_exit',
  'unreadable',
] as const
export type TamperingKind = (typeof TAMPERING_KINDS)[number]

/** Nobody reads a longer line, and no pattern here is put to one. */
export const MAX_READABLE_LENGTH = 4_000

const TOOLS =
  'eslint|tslint|jshint|jscs|oxlint|biome|stylelint|deno-lint|deno-coverage|xo|pylint|pyright|pyre|mypy|ruff|flake8|isort|yapf|fmt|' +
  'codespell|rubocop|reek|brakeman|steep|erb-lint|swiftlint|swift-format|ktlint|detekt|checkstyle|scalastyle|scalafix|phpcs|phpstan|' +
  'psalm|phpmd|codeCoverage|codingStandards|shellcheck|hadolint|yamllint|ansible-lint|markdownlint|sqlfluff|tflint|tfsec|checkov|trivy|' +
  'kics|snyk|semgrep|gitleaks|trufflehog|bandit|gosec|revive|exhaustive|luacheck|selene|credo|coveralls|cppcheck|clang-tidy|' +
  'clang-format|slither|solhint|svelte|buf:lint|cspell|prettier|istanbul|c8|v8|vitest|nyc|node:coverage|resharper|html-validate|secretlint|vale'

/** Of the marks of comments the whole rest counts: what is named in it, too, may have become more. */
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

/** What is an ordinary word elsewhere. */
const SKIPPED_IN_TESTS: readonly RegExp[] = [
  /(?<![\w.$])(?:xit|xtest|xdescribe|xcontext|xspecify|xexample|fit|fdescribe|fcontext|fspecify|ftest)\s*[('"`]/,
  /\b(?:this|t|ctx|context|testInfo)\.(?:skip|todo)\(/,
  /(?<![\w.])skip\w*\s*\(\s*(?:\)|['"`])/,
  /(?<![\w.$])(?:skip|todo|only)['"]?\s*:\s*(?:true\b|['"`])|(?<![\w.])skip\s*=\s*(?:True\b|true\b|['"])/,
  /^\s*(?:skip|pending)\b(?:\s+(?:['"]|if\b|unless\b)|\s*$)/,
  /\bassum(?:e|ing)(?:That|True|False|Not\w+)?\(/,
]

/** They hold whatever the code does. */
const TAUTOLOGIES: readonly RegExp[] = [
  /\bexpect\(\s*(?:true|false|1|0|null)\s*\)|\bassert\s+(?:True|1)\b|\bassert(?:True|\.ok|_true|_that)?!?\(\s*(?:true|True|1)\s*[,)]/,
  /\bassert\w*(?:\.\w+)?!?\(\s*([\w.]+)\s*,\s*\1\s*[,)]/,
]

/** Of a process: what runs the tests takes it for success. */
const EXITS_IN_TESTS: readonly RegExp[] = [/\b(?:process\.exit|sys\.exit|os\._exit|(?<![.\w])exit)\s*\(\s*0?\s*\)/]

const EXITS: readonly RegExp[] = [
  /\|\|\s*(?:true|:|\/bin\/true|exit\s+0|echo|printf)(?![\w-])/,
  /;\s*(?:true|exit\s+0)\s*["']?,?\s*$/,
  /^\s*(?:set\s+\+e\b|exit\s+0\s*$)/,
  /^\t-\s*\w/,
  /--(?:exit-zero|no-verify|passWithNoTests|pass-with-no-tests|no-fail|skip-tests|no-error-on-unmatched-pattern)\b/,
  /-D(?:skipTests|maven\.test\.(?:skip|failure\.ignore))\b/,
  /"(?:pre|post)?(?:test|lint|check|type-?check|verify)[\w:-]*"\s*:\s*"(?:true|:|exit 0|echo\b[^"&|;]*)"/,
]

const WEAKENED: readonly RegExp[] = [
  /["']?\b(?:strict\w*|no[A-Z]\w+|always\w*|exact\w*|checkJs|disallow_\w+|warn_\w+|check_untyped_defs|no_implicit\w*|\w*[Ww]arningsAsErrors|[fF]ail_?[oO]n\w*|[eE]nabled?|halt_?[oO]n_?[eE]rror|abort_?[oO]n_?[eE]rror)["']?\s*[:=>]\s*["']?(?:false|no|off|none|0)\b/i,
  /["']?\b(?:skip\w*|allow\w+|ignore\w*|suppress\w*|passWithNoTests|continue-on-error|testFailureIgnore|disabled?|silent)["']?\s*[:=>]\s*["']?(?:true|yes|on|1)\b/i,
  /:\s*\[?\s*["'](?:off|warn|none)["']|["'][@\w/-]+["']\s*:\s*\[?\s*0\b/,
  /=\s*["'](?:allow|off)["']/,
  /\b(?:extend[-_])?(?:ignore|exclude|disable|omit|per-file-ignores|skips|suppressions|allow)\w*["']?\s*[:=]\s*["'[{]*[\w*@./-].*/,
]

const DEMANDS = '(?:extend[-_])?select|enable(?:_error_code)?|only_rules|opt_in_rules|extends'

/** Which files a check looks at, and by which words it is called; each with its name. */
export const COMMAND_PATTERNS: readonly RegExp[] = [
  /"((?:pre|post)?(?:test|lint|check|type-?check|verify)[\w:-]*)"\s*:\s*".*"/,
  /\b(testMatch|testRegex|testPathIgnorePatterns|testpaths|python_files|addopts|norecursedirs|testDir|testIgnore|spec_pattern|specPattern)\b.*/,
]
/** What it looks for, in the same way. */
export const DEMAND_PATTERN = new RegExp(`(?<![\\w-])(${DEMANDS})["']?\\s*[:=]\\s*[["'{].*`)

/** Where it is gone, the bar is lower. */
export const STRICTNESS_PATTERNS: readonly RegExp[] = [
  /["']?\bstrict\w*["']?\s*[:=>]\s*["']?(?:true|on|yes|1)\b/i,
  /-Werror\b|--strict\b|--max-warnings\b/,
  /["'](?:error|deny|forbid)["']/,
]

const BAR =
  /(?<![\w.-])([\w.-]{0,60}?(?:coverage|threshold|branches|functions|lines|statements|fail[-_]?under|minimum\w*|min[-_]?(?:score|level|coverage)\w*|max[-_]?(?:warnings|complexity|len\w*|depth|params|args\w*|errors|issues|violations|allowed\w*)|score|level))["']?(?:\s*[:=>]\s*|\s+)["']?(\d+(?:\.\d+)?)/gi

/** The numbers in a line that something has to reach, or must not exceed. */
export function findThresholds(
  text: string,
): { readonly name: string; readonly value: number; readonly isLimit: boolean }[] {
  return [...text.matchAll(BAR)].map(([, name = '', value]) => ({
    name: name.toLowerCase(),
    value: Number(value),
    isLimit: /max|complexity|warnings/i.test(name),
  }))
}

/** Begins a list of what a check leaves out. */
export const EXCEPTION_LIST =
  /\b(?:ignore|exclude|disable|omit|skips|suppressions|allow)\w*["']?\s*(?:[:=]\s*[[({]|:)\s*$/i

/** Begins a list of what a check looks for. */
export const DEMAND_LIST = new RegExp(`(?<![\\w-])(?:${DEMANDS})["']?\\s*(?:[:=]\\s*\\[|:)\\s*$`)

const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt|csv|tsv|svg|po|snap|map)$|(?:^|\/)(?:LICENSE|CHANGELOG)[^/]*$/i
const SCRIPT =
  /\.(?:sh|bash|zsh|ksh|fish|bat|cmd|ps1|mk|ya?ml|toml|ini|cfg|gradle)$|(?:^|\/)(?:package\.json|(?:Make|Just|Docker|Jenkins|Task|Rake|Proc)file)$/i
const CHECKER =
  /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|package\.json|pyproject\.toml|setup\.cfg|setup\.py|tox\.ini|noxfile\.py|deny\.toml|Cargo\.toml|pom\.xml|Makefile|justfile|Jenkinsfile)$|(?:eslint|biome|prettier|stylelint|jest|vitest|vite\.config|karma|mocharc|nycrc|c8rc|playwright|cypress\.config|coverage|mypy|flake8|pytest\.ini|ruff|pylint|pyright|bandit|rubocop|golangci|phpunit|phpstan|psalm|phpcs|codecov|sonar|semgrep|checkstyle|detekt|pmd|spotbugs|clippy|build\.gradle|swiftlint|analysis_options|credo|clang-tidy|tslint|lefthook)[^/]*$/i
const PERHAPS_CHECKER = /\.(?:ya?ml|mk)$/i
/** Of these, those of the machines that run checks. */
const RUNNER =
  /(?:^|\/)\.[^/]|(?:^|[\W_])(?:ci|lint\w*|checks?|tests?|(?:\w*-)?pipelines?|appveyor|cloudbuild|buildspec|taskfile)(?=[\W_])[^/]*$|\.mk$/i
/** Named after a check and no settings of one: what the product itself has to do with coverage, say. */
const NO_SETTINGS =
  /(?:^|\/)(?!\.)(?![^/]*(?:config|conf\.|rc\.|setup|workspace|noxfile))[^/]*\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|cs|php|swift|cc?|cpp|hp?p?|scala|sql|s?css|html?|png|jpe?g|gif|webp|ico|pdf)$/i
const EXEMPTIONS =
  /(?:^|\/)\.(?:eslint|prettier|stylelint|biome|semgrep|gitleaks|trivy|checkov|snyk|bandit|markdownlint|cspell|rubocop_)\w*ignore$/i

/** What each kind of flag says of a line. */
export const TAMPERING_DESCRIPTIONS: Readonly<Record<TamperingKind, string>> = {
  suppression: 'tells a check to look away',
  skipped_test: 'leaves tests out',
  deleted_test: 'a test is gone',
  lost_assertions: 'assertions are gone',
  loosened_assertion: 'asserts less than before',
  changed_expectation: 'expects another value than before',
  lowered_bar: 'a check demands less',
  changed_check: 'changes what a check runs on, or how',
  swallowed_error: 'drops an error',
  swallowed_exit: 'hides a failure from whoever runs it',
  unreadable: "can't be read",
}

/** Which checks a file can tell to look away at all. */
export interface FileRole {
  readonly isCode: boolean
  readonly isTest: boolean
  readonly isConfig: boolean
  /** Without it a check is gone. */
  readonly isForChecks: boolean
  /** Every line of it exempts something. */
  readonly isExemptions: boolean
}

export function classifyFileRole(path: string, isTest: boolean): FileRole {
  const isExemptions = EXEMPTIONS.test(path)
  const isCode = !PROSE.test(path)
  const isOfChecker = CHECKER.test(path)
  const isConfig = (isOfChecker || PERHAPS_CHECKER.test(path)) && !isExemptions
  const isForChecks = isConfig && isCode && (isOfChecker ? !NO_SETTINGS.test(path) : RUNNER.test(path))
  return { isCode, isTest, isConfig, isForChecks, isExemptions }
}

/** What tells a check to look away in files like this one, by what it does to the check. */
export function listTamperingPatterns(
  path: string,
  { isCode, isTest, isConfig, isForChecks, isExemptions }: FileRole,
): [TamperingKind, RegExp][] {
  if (!isCode) return []
  const marks = (kind: TamperingKind, patterns: readonly RegExp[]) =>
    patterns.map((pattern): [TamperingKind, RegExp] => [kind, pattern])
  return [
    ...marks('suppression', SUPPRESSIONS),
    ...marks('skipped_test', isTest ? [...SKIPPED, ...SKIPPED_IN_TESTS] : SKIPPED),
    ...marks('swallowed_exit', [...(SCRIPT.test(path) ? EXITS : []), ...(isTest ? EXITS_IN_TESTS : [])]),
    ...marks('loosened_assertion', isTest ? TAUTOLOGIES : []),
    ...marks('changed_check', [...(isConfig ? COMMAND_PATTERNS : []), ...(isForChecks ? [DEMAND_PATTERN] : [])]),
    ...marks('lowered_bar', isExemptions ? [/^\s*[^#\s].*/] : isConfig ? WEAKENED : []),
  ]
}

export const TamperingFlag = z.object({
  file: z.string(),
  /** As the file is now; null where it is about the file as a whole. */
  line: z.number().nullable(),
  kind: z.enum(TAMPERING_KINDS),
  /** The line, or its beginning; or what happened to the file. */
  text: z.string(),
})

export type TamperingFlag = z.infer<typeof TamperingFlag>
