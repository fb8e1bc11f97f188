// The role of a file for the checks, by its path: words that silence a check in a linter's settings are ordinary elsewhere.

/** `config` may hold a check's settings, `checker` holds nothing else, and each line of `exemptions` is an exemption. */
export type FileRole = 'code' | 'test' | 'config' | 'checker' | 'exemptions'

const PROSE = /\.(?:md|mdx|markdown|rst|adoc|txt|csv|tsv|svg|po|snap|map)$|(?:^|\/)(?:LICENSE|CHANGELOG)[^/]*$/i
const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|cs|php|swift|cc?|cpp|hp?p?|scala|sh|ya?ml|toml|ini|cfg|sql|vue|svelte|exs?|lua|pl|dart)$/i
const CHECKER =
  /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|package\.json|pyproject\.toml|setup\.cfg|setup\.py|tox\.ini|noxfile\.py|deny\.toml|Cargo\.toml|pom\.xml|Makefile|justfile|Jenkinsfile)$|(?:eslint|biome|prettier|stylelint|jest|vitest|vite\.config|karma|mocharc|nycrc|c8rc|playwright|cypress\.config|coverage|mypy|flake8|pytest\.ini|ruff|pylint|pyright|bandit|rubocop|golangci|phpunit|phpstan|psalm|phpcs|codecov|sonar|semgrep|checkstyle|detekt|pmd|spotbugs|clippy|build\.gradle|swiftlint|analysis_options|credo|clang-tidy|tslint|lefthook)[^/]*$/i
const PERHAPS_CHECKER = /\.(?:ya?ml|mk)$/i
/** Among those, settings of the systems that run checks. */
const RUNNER =
  /(?:^|\/)\.[^/]|(?:^|[\W_])(?:ci|lint\w*|checks?|tests?|(?:\w*-)?pipelines?|appveyor|cloudbuild|buildspec|taskfile)(?=[\W_])[^/]*$|\.mk$/i
/** Files named after a check that are not its settings, such as a product's source about coverage. */
const NO_SETTINGS =
  /(?:^|\/)(?!\.)(?![^/]*(?:config|conf\.|rc\.|setup|workspace|noxfile))[^/]*\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|cs|php|swift|cc?|cpp|hp?p?|scala|sql|s?css|html?|png|jpe?g|gif|webp|ico|pdf)$/i
const EXEMPTIONS =
  /(?:^|\/)\.(?:eslint|prettier|stylelint|biome|semgrep|gitleaks|trivy|checkov|snyk|bandit|markdownlint|cspell|rubocop_)\w*ignore$/i

export function listFileRoles(path: string, isTest: boolean): ReadonlySet<FileRole> {
  if (PROSE.test(path)) return new Set()
  if (EXEMPTIONS.test(path)) return new Set(['code', 'exemptions'])
  const isOfChecker = CHECKER.test(path)
  const roles: FileRole[] = ['code']
  if (isTest) roles.push('test')
  if (isOfChecker || PERHAPS_CHECKER.test(path)) {
    roles.push('config')
    if (isOfChecker ? !NO_SETTINGS.test(path) : RUNNER.test(path)) roles.push('checker')
  }
  return new Set(roles)
}

/** Whether each line of the file should be readable. */
export function isReadable(path: string): boolean {
  return SOURCE.test(path) || listFileRoles(path, false).has('checker')
}
