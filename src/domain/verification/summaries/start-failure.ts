// Recognises that a command could not start: its program, its runner or its script is missing. A suite in which anything ran has started.
// Gap: a file that is missing and one that the code under test asks for by a wrong name look the same, so only packages and entry points count.

/** Shells: found, but no program; not found. */
const START_STATUSES: ReadonlySet<number> = new Set([126, 127])

/** Certain with any failing exit status. */
const START_FAILURES = [
  /^npm (?:error|ERR!) Missing script: /,
  /^npm (?:error|ERR!) enoent Could not read package\.json/,
  /^npm (?:error|ERR!) could not determine executable to run/,
  /^ ?ERR_PNPM_(?:NO_SCRIPT|NO_IMPORTER_MANIFEST_FOUND|RECURSIVE_RUN_NO_SCRIPT)/,
  /^(?:error|Usage Error:) ?(?:Command|Couldn't find a script named) "[^"]+"/,
  /^g?make(?:\[\d+\])?: \*\*\* (?:No rule to make target|No targets specified)/,
  /^g?make(?:\[\d+\])?: \S+: (?:No such file or directory|Permission denied|Command not found)$/,
  /^\S*python[\d.]*(?:\.exe)?: (?:No module named \S+|can't open file )/,
  /^\S*python[\d.]* -m pytest: error: |^pytest: error: /,
  /^ImportError while loading conftest /,
  /^(?:ModuleNotFoundError|ImportError): No module named /,
  /^(?:✖ ERROR: )?Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:package|module) '(?![./]|[A-Za-z]:|file:)[^']+'/,
  /^Could not find '[^']+'$/,
  /^failed to load config from /,
  /^Oops! Something went wrong! :\($/,
  /^error TS(?:5\d{3}|18003): /,
  /^(?:\S+: )?error: no such (?:sub)?command: /,
  /^error: could not find `Cargo\.toml`/,
  /^go: (?:go\.mod file not found|go\.mod requires go|cannot find main module|download go\S+ for )/,
  /^go: no such tool /,
  /^(?:Bundler could not find|bundler: command not found|Could not find command )/,
  /^Cannot open file "[^"]+"\.$/,
  /^Could not open input file: /,
  /^Error: Could not find or load main class /,
]
const CERTAIN = new RegExp(START_FAILURES.map(({ source }) => `(?:${source})`).join('|'))

/** The entry point that node was given: nobody asked for it. */
const MISSING_ENTRY = /^Error: Cannot find module '[^']+'$/
const NOBODY_ASKED = /^ *requireStack: \[\]/

/** Explains an exit status that says that the command could not start. */
const EXPLANATIONS = [': command not found', ': not found', ': No such file or directory', ': Permission denied']

const LONGEST_REASON = 200

export interface StartFailureReader {
  /** Whether the line is about a start. */
  line(line: string): boolean
  /** Why the command could not start; undefined if it could. Only for commands in which nothing ran. */
  end(exitStatus: number | undefined): string | undefined
}

export function createStartFailureReader(): StartFailureReader {
  let certain: string | undefined
  let explanation: string | undefined
  let entry: string | undefined
  return {
    line(line) {
      if (NOBODY_ASKED.test(line)) certain ??= entry
      else if (CERTAIN.test(line)) certain ??= line
      else if (MISSING_ENTRY.test(line)) entry ??= line
      else if (EXPLANATIONS.some((end) => line.endsWith(end))) explanation = line
      else return false
      return true
    },
    end(exitStatus) {
      if (exitStatus === 0) return undefined
      const isMissing = exitStatus !== undefined && START_STATUSES.has(exitStatus)
      const reason = certain ?? (isMissing ? (explanation ?? `exit status ${exitStatus}`) : undefined)
      return reason?.slice(0, LONGEST_REASON).toWellFormed()
    },
  }
}
