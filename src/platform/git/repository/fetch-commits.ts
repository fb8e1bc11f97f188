// Brings commits of a remote into the person's repository: objects alone. No reference, file or configuration of theirs changes, and none of
// it has a part in how the remote is reached.
import { runGit } from '../git.ts'
import { readRemoteCredential } from './branches.ts'
import { buildNoHooksConfig } from './disable-hooks.ts'
import { resolveCommit } from './inspect.ts'
import { withOwnGitDir } from './own-git-dir.ts'
import { prepareRemoteAccess, type RemoteAccess } from './remote-access.ts'

export interface FetchRequest extends RemoteAccess {
  readonly root: string
  /** Whole hashes. */
  readonly commits: readonly string[]
  /** A commit that the repository has. */
  readonly known: string
}

export async function fetchCommits(request: FetchRequest): Promise<void> {
  const { root, folder, commits, known } = request
  const there = await Promise.all(commits.map((commit) => resolveCommit(root, commit)))
  const missing = commits.filter((_, index) => there[index] === undefined)
  if (missing.length === 0) return
  const { url } = request
  await withOwnGitDir({ root, folder, commit: known }, async (gitDir) => {
    const credential = request.credential ?? (await readRemoteCredential(root, url))
    const at = prepareRemoteAccess({ folder, url, credential })
    await runGit(gitDir, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', at.url, ...missing], at.options)
    const input = `${missing.join('\n')}\n^${known}\n`
    const pack = (await runGit(gitDir, ['pack-objects', '--revs', '--stdout', '-q'], { input })).stdout
    await runGit(root, ['unpack-objects', '-q', '--strict'], { input: pack, config: await buildNoHooksConfig(root) })
  })
}
