// Finds the executable for a command: spawn's own ENOENT can't be told from a missing working directory, and a wrapper around the
// command would report its own failure.
import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** Unlike the shell, skips relative entries of the PATH: `./node_modules/.bin` belongs to whichever repository is worked in. */
export async function findCommand(command: string, path?: string, cwd = process.cwd()): Promise<string | undefined> {
  const candidates = command.includes('/')
    ? [resolve(cwd, command)]
    : splitPath(path)
        .filter(isAbsolute)
        .map((folder) => join(folder, command))
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate
  }
  return undefined
}

/** The entries of a PATH that our own programs may use. Undefined if there are none: an empty PATH would mean the working directory. */
export function keepAbsoluteEntries(path: string | undefined): string | undefined {
  return splitPath(path).filter(isAbsolute).join(delimiter) || undefined
}

export function listRelativeEntries(path: string | undefined): string[] {
  return splitPath(path).filter((folder) => !isAbsolute(folder))
}

function splitPath(path: string | undefined): string[] {
  return path === undefined ? [] : path.split(delimiter)
}

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
