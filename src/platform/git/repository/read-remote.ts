// Reads a remote by its address, from a git directory of our own.
import { mkdirSync, rmSync } from 'node:fs'
import { GitError, runGit } from '../git.ts'
import { prepareRemoteAccess, type RemoteAccess } from './remote-access.ts'

export interface RemoteHead {
  readonly branch: string
  readonly commit: string
}

/** A branch; without a name, the one that the remote's HEAD names. Undefined if there is none. */
export async function readRemoteHead(
  access: RemoteAccess,
  branch: string | undefined,
): Promise<RemoteHead | undefined> {
  const { folder } = access
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const { url, options } = prepareRemoteAccess(access)
    const asked = branch === undefined ? ['--symref', url, 'HEAD'] : ['--refs', url, `refs/heads/${branch}`]
    const listed = (await runGit(folder, ['ls-remote', ...asked], options)).stdout.toString()
    const name = branch ?? /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1]
    const commit = /^([0-9a-f]{40,64})\t/m.exec(listed)?.[1]
    return name === undefined || commit === undefined ? undefined : { branch: name, commit }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Brings a branch or a commit of the remote into the git directory, and returns the commit; undefined if the remote has none. */
export async function fetchFromRemote(
  gitDir: string,
  access: RemoteAccess,
  wanted: string,
): Promise<string | undefined> {
  const { url, options } = prepareRemoteAccess(access)
  const ref = 'refs/fixwright/fetched'
  const args = ['fetch', '-q', '--no-tags', '--no-write-fetch-head', url, `+${wanted}:${ref}`]
  try {
    await runGit(gitDir, args, options)
  } catch (error) {
    const isAbsent = /couldn't find remote ref|not our ref|unadvertised object/.test((error as GitError).stderr ?? '')
    if (error instanceof GitError && isAbsent) return undefined
    throw error
  }
  return (await runGit(gitDir, ['rev-parse', '--verify', `${ref}^{commit}`])).stdout.toString().trim()
}
