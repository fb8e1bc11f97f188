// Prepares the state folder that Gemini finds in a sandbox: copies of the files in the operator's own, without its subfolders. A sign-in
// with Google is renewed from what lasts (its refresh token), so a renewed one need not be brought home.
import { copyFile, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SandboxView } from '../../platform/sandbox/bubblewrap-arguments.ts'

const MOST_BYTES = 1 << 20

export async function prepareGeminiState(
  environment: NodeJS.ProcessEnv,
  state: string,
): Promise<NonNullable<SandboxView['bindMounts']>> {
  const at = join(environment.GEMINI_CLI_HOME || environment.HOME || homedir(), '.gemini')
  const names = await readdir(at, { withFileTypes: true }).catch(() => [])
  for (const each of names) {
    const file = join(at, each.name)
    // A file that is being replaced counts as missing.
    const size = (await stat(file).catch(() => undefined))?.size ?? Number.POSITIVE_INFINITY
    if (each.isFile() && size < MOST_BYTES) await copyFile(file, join(state, each.name)).catch(() => undefined)
  }
  return [{ at, is: state }]
}
