// The one door to git. Every call is hermetic: no hooks, no fsmonitor, no automatic maintenance, no prompt, no variable of
// the caller's environment but the few below, and nobody's global configuration unless `personal` asks for it.
// The gap: the configuration of the repository itself is still read, because its format extensions live there; what in
// it could run a program or change an output is overridden here by `-c` or by the flags of each command, and, where its name is
// anybody's choice, by own-commands.ts.
import { keepAbsoluteEntries } from '../processes/find-command.ts'
import { type GitOutput, type GitResult, type GitRunner, runGitInProcess } from './execute.ts'

export type { GitOutput } from './execute.ts'

/** Who signs what the person's identity does not: snapshots and reflog entries. */
export const FIXWRIGHT_IDENTITY = { name: 'Fixwright', email: 'fixwright@localhost' } as const

export interface GitOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  /** Exit statuses besides 0 that are an answer and not a failure. */
  readonly accept?: readonly number[]
  /** Read with the person's own git configuration (identity, their ignore rules), and only read. */
  readonly personal?: boolean
  /** More of the configuration, where a name may hold what `-c` would misread. */
  readonly config?: readonly (readonly [name: string, value: string])[]
  readonly signal?: AbortSignal | undefined
}

/**
 * The only failure that is an answer of git's: which command, on which repository, and what it said. Where the helper dies that
 * runs git, nobody knows an answer: that is a plain error, so that nobody takes it for one and it is tried again.
 */
export class GitError extends Error {
  override readonly name = 'GitError'
  readonly repository: string
  readonly code: number
  readonly stderr: string

  constructor(
    repository: string,
    args: readonly string[],
    { code, stderr, failure }: Pick<GitResult, 'code' | 'stderr' | 'failure'>,
  ) {
    const text = stderr.trim() || (failure ?? `exit status ${code}`)
    super(`git ${args.join(' ').slice(0, 200)} failed in ${repository}: ${text}`)
    this.repository = repository
    this.code = code
    this.stderr = stderr
  }
}

const BASE_CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.alternateRefsCommand=:',
  // Names that another file system would take for `.git`.
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // What is larger is told and not shown: a diff of it would not fit into memory, let alone into a prompt.
  'core.bigFileThreshold=16m',
  'gc.auto=0',
  'maintenance.auto=false',
  'fetch.writeCommitGraph=false',
  'log.showSignature=false',
  'color.ui=false',
]
// A repository of another owner was accepted, or refused, by the person's own git when it was inspected.
const HERMETIC_CONFIG = [
  ...BASE_CONFIG,
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'safe.directory=*',
]

const INHERITED_VARIABLES = ['HOME', 'TMPDIR']
const PERSONAL_VARIABLES = [
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
]

function buildGitEnvironment(call: GitOptions): Record<string, string> {
  const path = keepAbsoluteEntries(process.env.PATH)
  const inherited = call.personal ? [...INHERITED_VARIABLES, ...PERSONAL_VARIABLES] : INHERITED_VARIABLES
  const kept = inherited.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...(path === undefined ? {} : { PATH: path }),
    ...Object.fromEntries(kept),
    ...(call.personal ? {} : { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' }),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    // A partial clone fetches what it lacks by whatever its configuration names, a command for one: nothing here fetches.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_COMMITTER_NAME: FIXWRIGHT_IDENTITY.name,
    GIT_COMMITTER_EMAIL: FIXWRIGHT_IDENTITY.email,
    ...configVariables(call.config ?? []),
    ...call.env,
  }
}

function configVariables(config: NonNullable<GitOptions['config']>): Record<string, string> {
  const pairs = config.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return pairs.length === 0 ? {} : { GIT_CONFIG_COUNT: `${config.length}`, ...Object.fromEntries(pairs) }
}

let activeRunner: GitRunner = runGitInProcess

/** Has every command of this process run by somebody else, until what it answers with is called, or somebody else again is named. */
export function setGitRunner(runner: GitRunner): () => void {
  activeRunner = runner
  return () => {
    if (activeRunner === runner) activeRunner = runGitInProcess
  }
}

/** Runs one git command in `directory`. Throws `GitError` unless its status is 0 or accepted. */
export async function runGit(directory: string, args: readonly string[], call: GitOptions = {}): Promise<GitOutput> {
  const { personal, input, signal, accept } = call
  const config = personal ? BASE_CONFIG : HERMETIC_CONFIG
  const ended = await activeRunner({ directory, args, env: buildGitEnvironment(call), config, input }, signal)
  if (ended.failure !== undefined) signal?.throwIfAborted()
  else if (ended.code === 0 || accept?.includes(ended.code)) return ended
  throw new GitError(directory, args, ended)
}

/** The trimmed text of a command's standard output. */
export async function runGitText(directory: string, args: readonly string[], call: GitOptions = {}): Promise<string> {
  return (await runGit(directory, args, call)).stdout.toString().trim()
}

/** The fields of output made with `-z`. Bytes that are not UTF-8 are replaced: good for reading, not for writing back. */
export function splitFields(stdout: Buffer): string[] {
  return splitNul(stdout.toString())
}

/** The same fields, one character a byte, for names that go back to git unchanged. `readable` shows one. */
export function splitRawFields(stdout: Buffer): string[] {
  return splitNul(stdout.toString('latin1'))
}

export function decodeRawPath(raw: string): string {
  return Buffer.from(raw, 'latin1').toString()
}

function splitNul(text: string): string[] {
  const parts = text.split('\0')
  if (parts.at(-1) === '') parts.pop()
  return parts
}
