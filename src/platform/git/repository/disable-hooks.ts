// Since 2.54, git also takes hooks from the configuration, where `core.hooksPath` does not reach them. The repository chooses their
// names, so they are looked up and switched off one by one. (inspect.ts does the same for filters.)
import { type GitOptions, runGit, splitFields } from '../git.ts'

/** `update-ref` runs the hooks for `reference-transaction`; every command that writes an index runs those for `post-index-change`. */
export async function buildNoHooksConfig(root: string): Promise<NonNullable<GitOptions['config']>> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^hook\\..*\\.(command|event)$']
  const names = splitFields((await runGit(root, args, { accept: [1] })).stdout)
  return [...new Set(names.map((name) => name.replace(/[^.]+$/, 'enabled')))].map((name) => [name, 'false'])
}
