// Commands that a repository's own configuration names under names of its own, so that no list of ours can override them: hooks, which
// git takes from the configuration since 2.54, where `core.hooksPath` does not reach them. They are looked up and switched off one by
// one. (Filters are where the work tree is looked at, in repository.ts.)
import { type GitOptions, runGit, splitFields } from '../git.ts'

/** `update-ref` runs those for `reference-transaction`, and whatever writes an index those for `post-index-change`. */
export async function buildNoHooksConfig(root: string): Promise<NonNullable<GitOptions['config']>> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^hook\\..*\\.(command|event)$']
  const names = splitFields((await runGit(root, args, { accept: [1] })).stdout)
  return [...new Set(names.map((name) => name.replace(/[^.]+$/, 'enabled')))].map((name) => [name, 'false'])
}
