// Finds the executable that a command names, as the shell would: spawn's own ENOENT can't be told from a missing working
// directory, and a wrapper around the command would report its own failure. Unlike the shell only in folders that are named from the
// root on: any other entry of the PATH (`./node_modules/.bin`) is a folder of whichever repository is worked in, with its programs.
import { access, constants, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

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

/** What of a PATH is for programs of ours; undefined where nothing is, for an empty one would be the folder itself. */
export function keepAbsoluteEntries(path: string | undefined): string | undefined {
  return splitPath(path).filter(isAbsolute).join(delimiter) || undefined
}

/** The rest of it. */
export function listRelativeEntries(path: string | undefined): string[] {
  return splitPath(path).filter((folder) => !isAbsolute(folder))
}

function splitPath(path: string | undefined): string[] {
  return path === undefined ? [] : path.split(delimiter)
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
