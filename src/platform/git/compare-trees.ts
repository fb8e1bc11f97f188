// What git says about two trees. Commits are compared as their trees, so that one answer serves all who ask about the same contents.
import { askObjects, nameGitDir } from './ask-objects.ts'
import { runGit, runGitText } from './git.ts'
import { isObjectId, recallObject, rememberObject } from './object-memory.ts'

interface Place {
  readonly gitDir: string
}

/** The output of `diff-tree` with these flags. */
export async function diffTrees(place: Place, flags: readonly string[], from: string, to: string): Promise<Buffer> {
  const trees = await Promise.all([from, to].map((each) => findTree(place, each)))
  const [before, now] = trees
  if (before !== undefined && before === now) return Buffer.alloc(0)
  if (before !== undefined && now !== undefined) {
    const key = [place.gitDir, ...flags, before, now].join('\0')
    const known = recallObject(key)
    if (known) return known
    const { gitDir } = place
    const args = ['diff-tree', '--stdin', ...flags]
    const { stdout } = await runGit(gitDir, args, { input: `${before} ${now}\n`, env: nameGitDir(gitDir) })
    const header = `${before} ${now}\n`
    // Git goes on after a tree that it can't read, and prints no header for it.
    if (stdout.subarray(0, header.length).toString('latin1') === header) {
      const answer = stdout.subarray(header.length)
      rememberObject(key, answer)
      return answer
    }
  }
  return (await runGit(place.gitDir, ['diff-tree', ...flags, from, to], { env: { GIT_DIR: place.gitDir } })).stdout
}

/** The tree of a commit, or the tree itself. */
export async function resolveTree(place: Place, commitOrTree: string): Promise<string> {
  const found = await findTree(place, commitOrTree)
  if (found !== undefined) return found
  const args = ['rev-parse', '--verify', '--end-of-options', `${commitOrTree}^{tree}`]
  return await runGitText(place.gitDir, args, { env: { GIT_DIR: place.gitDir } })
}

/** Undefined for what is no id, and for what is not there: git has the words for that. */
async function findTree(place: Place, commitOrTree: string): Promise<string | undefined> {
  if (!isObjectId(commitOrTree)) return undefined
  const known = recallObject(treeKey(place, commitOrTree))
  if (known) return known.toString()
  const [tree] = await askObjects(place.gitDir, [['info', `${commitOrTree}^{tree}`]])
  if (tree) rememberTree(place, commitOrTree, tree.sha)
  return tree?.sha
}

/** For who has just written the commit, or read it. */
export function rememberTree(place: Place, commit: string, tree: string): void {
  for (const each of [commit, tree]) rememberObject(treeKey(place, each), Buffer.from(tree))
}

function treeKey({ gitDir }: Place, commitOrTree: string): string {
  return [gitDir, 'tree', commitOrTree].join('\0')
}
