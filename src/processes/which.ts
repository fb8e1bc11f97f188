// Finds the executable that a command names, as the shell would: spawn's own ENOENT can't be told from a missing working
// directory, and a wrapper around the command would report its own failure.
import { access, constants, stat } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'

export async function findCommand(command: string, path = '', cwd = process.cwd()): Promise<string | undefined> {
  const candidates = command.includes('/')
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((folder) => join(folder === '' ? '.' : folder, command))
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate
  }
  return undefined
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
