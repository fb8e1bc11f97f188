// Pushes one branch to a remote by its address, from a git directory of our own: nothing in the person's configuration can send the
// credential elsewhere, run a hook, or choose a helper. Only git's own child processes see the credential.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GitError, runGit } from '../git.ts'
import { isAncestor } from '../workspace/commits.ts'
import { buildGitDirectory } from '../workspace/object-store.ts'
import { readRemoteCredential } from './branches.ts'
import { prepareRemoteAccess, type RemoteAccess } from './remote-access.ts'

/** Without a credential, that of the remote's address in the person's repository counts. */
export interface PushRequest extends RemoteAccess {
  /** The person's repository, which is only read. */
  readonly root: string
  readonly branch: string
  readonly commit: string
}

export type PushOutcome =
  | { readonly kind: 'pushed' | 'already' }
  /** The remote's branch has commits that ours lacks. */
  | { readonly kind: 'diverged'; readonly head: string }
  /** The remote said no, in its words. */
  | { readonly kind: 'refused'; readonly why: string }

/** Safe to repeat: the remote's branch moves only from where it was seen to be. */
export async function pushToRemote(request: PushRequest): Promise<PushOutcome> {
  const { root, folder, branch, commit } = request
  rmSync(folder, { recursive: true, force: true })
  try {
    const gitDir = join(folder, 'git')
    mkdirSync(gitDir, { recursive: true, mode: 0o700 })
    await buildGitDirectory(gitDir, { root, commit, branch, ignore: [] })
    const credential = request.credential ?? (await readRemoteCredential(root, request.url))
    const at = prepareRemoteAccess({ ...request, credential })
    const ref = `refs/heads/${branch}`
    const listed = (await runGit(gitDir, ['ls-remote', '--refs', at.url, ref], at.options)).stdout.toString()
    const head = /^([0-9a-f]{40,64})\t/.exec(listed)?.[1]
    if (head === commit) return { kind: 'already' }
    if (head !== undefined && !(await isAncestor(root, head, commit).catch(() => false)))
      return { kind: 'diverged', head }
    const args = [
      'push',
      '--porcelain',
      '--no-verify',
      `--force-with-lease=${ref}:${head ?? ''}`,
      at.url,
      `${commit}:${ref}`,
    ]
    await runGit(gitDir, args, at.options)
    return { kind: 'pushed' }
  } catch (error) {
    const why = error instanceof GitError ? findRefusal(error.stderr) : undefined
    if (why === undefined) throw error
    return { kind: 'refused', why }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The rest, such as a server that does not answer, may pass. */
function findRefusal(stderr: string): string | undefined {
  const patterns = [
    /Authentication failed[^\n]*/,
    /could not read (?:Username|Password)[^\n]*/,
    /The requested URL returned error: (?:401|403|404)[^\n]*/,
    /repository '[^\n]*' not found/,
    /does not appear to be a git repository/,
    /transport '[^\n]*' not allowed/,
    /Permission denied \([^\n]*/,
    /Host key verification failed/,
    /\[remote rejected\][^\n]*/,
    /remote: error: [^\n]*/,
  ]
  return patterns.map((pattern) => pattern.exec(stderr)?.[0]).find((found) => found !== undefined)
}
