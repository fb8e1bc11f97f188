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

/** Most calls are over before their first garbage matters: with room for it they take a tenth less CPU. */
const ROOM_FOR_GARBAGE = '--min-semi-space-size=16'
/** A script with this first line is started by its node and not by its name, so that node gets our flag. */
const NODE_SCRIPT = '#!/usr/bin/env node\n'

export interface CompiledGemini {
  /** The value of NODE_COMPILE_CACHE. */
  readonly folder: string
  readonly command: string
  /** Come before the CLI's own arguments. */
  readonly args: readonly string[]
}

/** How the CLI is started. Node takes compiled code only under the flags with which it was made. */
type Start = Pick<CompiledGemini, 'command' | 'args'>

/**
 * Makes the cache at the first call of a version, by a run of `--version`. A sandbox only reads it: whoever could write it would decide
 * what later challengers run. Without a cache a call is slower, and nothing else.
 */
export async function ensureCompiledGemini(call: CompileCall): Promise<CompiledGemini | undefined> {
  if (call.compileCache === undefined) return undefined
  try {
    const program = await findProgram(call)
    if (program === undefined) return undefined
    const content = await readFile(program)
    const start = await findStart(program, content, call)
    const folder = join(call.compileCache, await hashProgram(start, content, call))
    if (!existsSync(folder)) await compileOnce(folder, start, call)
    return existsSync(folder) ? { folder, ...start } : undefined
  } catch {
    // The disk is full or read-only: the call itself reports that if it matters.
    return undefined
  }
}

/** By its real path: node looks compiled code up by path, and a link resolves differently in a sandbox. */
async function findProgram({ command, environment }: CompileCall): Promise<string | undefined> {
  const path = await findCommand(command, environment.PATH)
  const program = path === undefined ? '' : await realpath(path)
  return /\.[cm]?js$/.test(program) ? program : undefined
}

async function findStart(program: string, content: Buffer, { environment }: CompileCall): Promise<Start> {
  const node = await findCommand('node', environment.PATH)
  if (node === undefined || content.subarray(0, NODE_SCRIPT.length).toString('latin1') !== NODE_SCRIPT)
    return { command: program, args: [] }
  return { command: node, args: [ROOM_FOR_GARBAGE, program] }
}

/** Differs for each version of the CLI, of the node that runs it, and of how we start it. */
async function hashProgram(start: Start, content: Buffer, { environment }: CompileCall): Promise<string> {
  const node = await realpath((await findCommand('node', environment.PATH)) ?? process.execPath)
  const { size, mtimeMs } = await stat(node)
  const hash = createHash('sha256').update(JSON.stringify([start, node, size, mtimeMs]))
  return hash.update(content).digest('hex').slice(0, 16)
}

async function compileOnce(folder: string, start: Start, call: CompileCall): Promise<void> {
  const made =
    pendingCompilations.get(folder) ??
    compileGemini(folder, start, call).finally(() => pendingCompilations.delete(folder))
  pendingCompilations.set(folder, made)
  await made
}

async function compileGemini(
  folder: string,
  { command, args }: Start,
  { environment, marker, signal, pidNamespace = 'auto' }: CompileCall,
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
      args: [...args, '--version'],
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
