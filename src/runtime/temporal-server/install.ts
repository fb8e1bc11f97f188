import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { runTool } from '../../platform/processes/run-tool.ts'
import type { Environment } from '../home/home.ts'

/** Runs a tool and answers with its output; an error says in one line what it printed. */
export async function readTool(
  command: string,
  args: readonly string[],
  options: { readonly env: Environment; readonly timeoutMs: number },
): Promise<string> {
  const { stdout, stderr, failure } = await runTool(command, args, options)
  if (failure === undefined) return stdout
  const printed = stderr.trim().split('\n').at(-1) || failure
  throw new Error(`${command}: ${printed.slice(0, 300)}`)
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Lets `make` fill a draft folder in the cache, then renames the file it names to `target`, so that no process sees half of it. */
export async function installExecutable(target: string, make: (folder: string) => Promise<string>): Promise<string> {
  const folder = dirname(target)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOldDrafts(folder)
  const draft = join(folder, `${DRAFT_PREFIX}${randomUUID()}`)
  await mkdir(draft, { mode: 0o700 })
  try {
    const made = await make(draft)
    await chmod(made, 0o755)
    await rename(made, target)
    return target
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const DRAFT_PREFIX = '.draft-'
// Longer than any source's time-out: a killed process left what is older.
const MAX_DRAFT_AGE_MS = 3_600_000

async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue
    const path = join(folder, name)
    const age = await stat(path)
      .then((found) => Date.now() - found.mtimeMs)
      .catch(() => 0)
    if (age > MAX_DRAFT_AGE_MS) await rm(path, { recursive: true, force: true })
  }
}
