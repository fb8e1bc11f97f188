// Files that checks leave behind, and whether a run without them takes longer.

/** Caches of bytecode and of the last failures, and reports: what is made again in no time, or for people. */
const CHEAP =
  /(?:^|\/)(?:__pycache__|\.pytest_cache|\.hypothesis|htmlcov|coverage|\.nyc_output|test-results?|test-reports?|reports?)\/$|(?:^|\/)(?:\.coverage(?:\.[\w.-]+)?|coverage\.xml|junit[\w.-]*\.xml|[^/]*\.pyc|[^/]*\.log|\.DS_Store)$/

/** Those that a later run is quicker with, such as a build. */
export function listReusableFiles(paths: readonly string[], madeBySetup: readonly string[]): string[] {
  const isOfSetup = (path: string) =>
    madeBySetup.some((made) => path === made || (made.endsWith('/') && path.startsWith(made)))
  return paths.filter((path) => !CHEAP.test(path) && !isOfSetup(path))
}
