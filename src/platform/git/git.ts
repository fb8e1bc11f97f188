// The only way to run git. Every command is hermetic: no hooks, fsmonitor, maintenance or prompt, and no global configuration.
// Gap: git still reads the repository's own configuration (for its format extensions); `-c`, flags and disable-hooks.ts override it.

import { keepAbsoluteEntries } from '../processes/find-command.ts'
import { getCancellation } from '../processes/run-tool.ts'
import { type GitOutput, type GitResult, type GitRunner, runGitInProcess } from './execute.ts'
import { isObjectId, recallObject, rememberObject } from './object-memory.ts'

export type { GitOutput } from './execute.ts'

/** The author of what the person does not author: snapshots and reflog entries. */
export const FIXWRIGHT_IDENTITY = { name: 'Fixwright', email: 'fixwright@localhost' } as const

export interface GitOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
  /** Exit statuses besides 0 that are not failures. */
  readonly accept?: readonly number[]
  /** Uses the person's own git configuration (identity, ignore rules). For reading only. */
  readonly personal?: boolean
  /** What the command reads, and nothing else. If all are ids of objects, its answer is remembered. */
  readonly objects?: readonly string[]
  /** Further configuration, passed by the environment: `-c` would misread some names. */
  readonly config?: readonly (readonly [name: string, value: string])[]
}

/**
 * A failure that git itself reported. If the helper process that runs git dies, there is no answer from git: that is a plain error,
 * so that the work is retried.
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
  // Refuses names that other file systems take for `.git`.
  'core.protectHFS=true',
  'core.protectNTFS=true',
  // A diff reports larger files as binary: their text would not fit into memory, let alone into a prompt.
  'core.bigFileThreshold=16m',
  'gc.auto=0',
  'maintenance.auto=false',
  'fetch.writeCommitGraph=false',
  'log.showSignature=false',
  'color.ui=false',
]
// `safe.directory=*`: at inspection, the person's own git has already accepted or refused a repository of another owner.
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
    // A partial clone fetches missing objects by whatever its configuration names, even a command. Nothing here fetches.
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

/** Sets who runs the git commands of this process. The returned function goes back to the default, unless another runner was set since. */
export function setGitRunner(runner: GitRunner): () => void {
  activeRunner = runner
  return () => {
    if (activeRunner === runner) activeRunner = runGitInProcess
  }
}

/** Runs one git command in `directory`. Throws `GitError` unless its status is 0 or accepted. */
export async function runGit(directory: string, args: readonly string[], call: GitOptions = {}): Promise<GitOutput> {
  const { personal, input, accept, objects } = call
  const signal = getCancellation()
  const key = objects?.every(isObjectId) ? [directory, ...args].join('\0') : undefined
  const known = key === undefined ? undefined : recallObject(key)
  if (known) return { stdout: known, stderr: '', code: 0 }
  const config = personal ? BASE_CONFIG : HERMETIC_CONFIG
  const ended = await activeRunner({ directory, args, env: buildGitEnvironment(call), config, input }, signal)
  if (ended.failure !== undefined) signal?.throwIfAborted()
  else if (ended.code === 0 || accept?.includes(ended.code)) {
    if (key !== undefined && ended.code === 0) rememberObject(key, ended.stdout)
    return ended
  }
  throw new GitError(directory, args, ended)
}

export async function runGitText(directory: string, args: readonly string[], call: GitOptions = {}): Promise<string> {
  return (await runGit(directory, args, call)).stdout.toString().trim()
}

/** The fields of output made with `-z`. Bytes that are not UTF-8 are replaced, so the fields can't be written back to git. */
export function splitFields(stdout: Buffer): string[] {
  return splitNul(stdout.toString())
}

/** The same fields as latin1, one character a byte, for names that go back to git unchanged. `decodeRawPath` makes one readable. */
export function splitRawFields(stdout: Buffer): string[] {
  return splitNul(stdout.toString('latin1'))
}

export function decodeRawPath(raw: string): string {
  return Buffer.from(raw, 'latin1').toString()
}

/** For a path that may not be UTF-8, in latin1, one character a byte. */
export function joinRawPath(folder: string, raw: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(raw, 'latin1')])
}

function splitNul(text: string): string[] {
  const parts = text.split('\0')
  if (parts.at(-1) === '') parts.pop()
  return parts
}
