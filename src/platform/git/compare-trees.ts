// What git says about two trees. Commits are compared as their trees, so that one answer serves all who ask about the same contents.
import { askObjects, nameGitDir } from './ask-objects.ts'
import { runGit, runGitText } from './git.ts'
import { isObjectId, recallObject, rememberObject } from './object-memory.ts'

interface Place {
  readonly gitDir: string
}

/** The output of `diff-tree` with these flags. */
export async function diffTrees(place: Place, flags: readonly string[], from: string, to: string): Promise<Buffer> {
  const { gitDir } = place
  const [before, now] = await Promise.all([from, to].map((each) => findTree(place, each)))
  if (before !== undefined && before === now) return Buffer.alloc(0)
  if (before !== undefined && now !== undefined) {
    const key = [gitDir, ...flags, before, now].join('\0')
    const known = recallObject(key)
    if (known) return known
    const question = `${before} ${now}\n`
    const args = ['diff-tree', '--stdin', ...flags]
    const { stdout } = await runGit(gitDir, args, { input: question, env: nameGitDir(gitDir) })
    // Git repeats the question before its answer, but goes on without a word after a tree that it can't read.
    if (stdout.subarray(0, question.length).toString('latin1') === question) {
      const answer = stdout.subarray(question.length)
      rememberObject(key, answer)
      return answer
    }
  }
  return (await runGit(gitDir, ['diff-tree', ...flags, from, to], { env: { GIT_DIR: gitDir } })).stdout
}

/** The tree of a commit, or the tree itself. */
export async function resolveTree(place: Place, commitOrTree: string): Promise<string> {
  const found = await findTree(place, commitOrTree)
  if (found !== undefined) return found
  const args = ['rev-parse', '--verify', '--end-of-options', `${commitOrTree}^{tree}`]
  return await runGitText(place.gitDir, args, { env: { GIT_DIR: place.gitDir } })
}

/** Undefined for what is no id, and for what is not there: the caller then runs git, whose error says why. */
async function findTree(place: Place, commitOrTree: string): Promise<string | undefined> {
  if (!isObjectId(commitOrTree)) return undefined
  const known = recallObject(treeKey(place, commitOrTree))
  if (known) return known.toString()
  const [tree] = await askObjects(place.gitDir, [['info', `${commitOrTree}^{tree}`]])
  if (tree) rememberTree(place, commitOrTree, tree.sha)
  return tree?.sha
}

/** Whoever has just written or read a commit calls this, so that nobody asks git for its tree. */
export function rememberTree(place: Place, commit: string, tree: string): void {
  for (const each of [commit, tree]) rememberObject(treeKey(place, each), Buffer.from(tree))
}

function treeKey({ gitDir }: Place, commitOrTree: string): string {
  return [gitDir, 'tree', commitOrTree].join('\0')
}
