// Keeps the compiled code of the Gemini CLI for its next start, a third of which is compiling. Gap: whatever runs as the operator outside
// a sandbox (in `auto`, their checks) can write it; a CLI that is no node script has none.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findCommand } from '../../platform/processes/find-command.ts'
import { runProcess } from '../../platform/processes/run-process.ts'
import type { AgentCall } from '../provider-contract.ts'

type CompileCall = Pick<AgentCall, 'command' | 'environment' | 'marker' | 'signal' | 'compileCache' | 'pidNamespace'>

/** Compiling takes two seconds. If a busy machine has no time for it, the partial result is kept. */
const COMPILE_TIMEOUT_MS = 60_000
/** Older caches are removed: most belong to replaced versions. The cache of a version still in use is made again. */
const MAX_CACHE_AGE_MS = 30 * 86_400_000

const pendingCompilations = new Map<string, Promise<void>>()

export interface CompiledGemini {
  /** The value of NODE_COMPILE_CACHE. */
  readonly folder: string
  /** The real path of the CLI, used as its command: node looks compiled code up by path, and a link resolves differently in a sandbox. */
  readonly program: string
}

/**
 * Makes the cache at the first call of a version, by a run of `--version`. A sandbox only reads it: whoever could write it would decide
 * what later challengers run. Without a cache a call is slower, and nothing else.
 */
export async function ensureCompiledGemini(call: CompileCall): Promise<CompiledGemini | undefined> {
  if (call.compileCache === undefined) return undefined
  try {
    const program = await findProgram(call)
    if (program === undefined) return undefined
    const folder = join(call.compileCache, await hashProgram(program, call))
    if (!existsSync(folder)) await compileOnce(folder, { ...call, command: program })
    return existsSync(folder) ? { folder, program } : undefined
  } catch {
    // The disk is full or read-only: the call itself reports that if it matters.
    return undefined
  }
}

async function findProgram({ command, environment }: CompileCall): Promise<string | undefined> {
  const path = await findCommand(command, environment.PATH)
  const program = path === undefined ? '' : await realpath(path)
  return /\.[cm]?js$/.test(program) ? program : undefined
}

/** Differs for each version of the CLI and of the node that runs it. */
async function hashProgram(program: string, { environment }: CompileCall): Promise<string> {
  const node = await realpath((await findCommand('node', environment.PATH)) ?? process.execPath)
  const { size, mtimeMs } = await stat(node)
  const hash = createHash('sha256').update(JSON.stringify([program, node, size, mtimeMs]))
  return hash
    .update(await readFile(program))
    .digest('hex')
    .slice(0, 16)
}

async function compileOnce(folder: string, call: CompileCall): Promise<void> {
  const made =
    pendingCompilations.get(folder) ?? compileGemini(folder, call).finally(() => pendingCompilations.delete(folder))
  pendingCompilations.set(folder, made)
  await made
}

async function compileGemini(
  folder: string,
  { command, environment, marker, signal, pidNamespace = 'auto' }: CompileCall,
) {
  const place = dirname(folder)
  await mkdir(place, { recursive: true, mode: 0o700 })
  await removeOldCaches(place)
  // A home of its own keeps the operator's files and the repository out.
  const draft = await mkdtemp(join(place, 'draft-'))
  try {
    const code = join(draft, 'code')
    await mkdir(code)
    const { ended } = await runProcess({
      command,
      args: ['--version'],
      cwd: draft,
      env: {
        ...{ PATH: environment.PATH, HOME: draft, TMPDIR: draft },
        ...{ GEMINI_CLI_NO_RELAUNCH: 'true', NODE_COMPILE_CACHE: code },
      },
      stdin: '',
      stdoutFile: join(draft, 'stdout'),
      stderrFile: join(draft, 'stderr'),
      deadlineMs: COMPILE_TIMEOUT_MS,
      graceMs: 1_000,
      signal,
      marker,
      pidNamespace,
    })
    // The result is kept even if it is empty, so that compiling is not tried again with each call. Another process may have been first.
    if (ended !== 'cancelled') await rename(code, folder).catch(() => undefined)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function removeOldCaches(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const path = join(place, name)
    const made = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (Date.now() - made > MAX_CACHE_AGE_MS) await rm(path, { recursive: true, force: true })
  }
}
