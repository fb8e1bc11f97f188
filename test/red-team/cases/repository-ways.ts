// What happens to a hostile repository: the whole way of a session through git, and what a person's own git does there all day.
import assert from 'node:assert/strict'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspectRepository } from '../../../src/platform/git/repository/inspect.ts'
import { publishBranch } from '../../../src/platform/git/repository/publish-branch.ts'
import { commitTree, mergeTreeOnto } from '../../../src/platform/git/workspace/commits.ts'
import { diffText, listChanges } from '../../../src/platform/git/workspace/diff.ts'
import { readSymlinkTargets } from '../../../src/platform/git/workspace/file-contents.ts'
import type { Workspace } from '../../../src/platform/git/workspace/object-store.ts'
import { createSnapshot, resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, AUTHOR, plainGit } from '../../platform/git/support.ts'
import { readFilesAt } from '../../support/read-files.ts'
import type { Arena, Case } from '../harness.ts'

export const BRANCH = 'fix/session'

/** All that a session does with a repository; answers with what it changed. */
export async function wholeWay(arena: Arena, touch: (workspace: Workspace) => void = () => {}): Promise<string[]> {
  const found = await inspectRepository(arena.repository)
  assert.equal(found.kind, 'repository')
  const workspace = await arena.open('session', { branch: BRANCH })
  const { base } = workspace
  const taken = (name: string) => createSnapshot(workspace, { name, parent: base, message: '', at: AT })
  arena.write({ 'src/app.py': 'def f():\n    return 2\n' }, workspace.tree)
  touch(workspace)
  const { tree } = await taken('one')
  await resetWorkTree(workspace, base)
  await resetWorkTree(workspace, tree, { head: base })
  assert.equal((await taken('two')).tree, tree, 'a reset brings the very same tree back')
  const changed = await listChanges(workspace, base, tree)
  assert.match(await diffText(workspace, base, tree), /^\+ {4}return 2$/m)
  await readFilesAt(arena.repository, base, ['README.md', 'src/app.py'])
  await readSymlinkTargets(workspace, tree)
  const commit = await commitTree(workspace, { tree, parent: base, message: 'fix: it', author: AUTHOR, at: AT })
  assert.equal((await mergeTreeOnto(workspace, commit, base)).kind, 'clean')
  assert.equal((await publishBranch({ workspace, branch: BRANCH, commit, expected: undefined })).kind, 'published')
  return changed.map(({ path }) => path)
}

/** What a person's own git does there all day. */
export function ordinaryWork({ repository, git }: Arena, ...commands: readonly (readonly string[])[]): void {
  writeFileSync(join(repository, 'src/app.py'), 'def f():\n    return 2\n')
  for (const command of commands) {
    try {
      git(command)
    } catch {
      // A hook or a filter that fails has run all the same.
    }
  }
}

interface Configured {
  readonly input: string
  readonly harm: string
  readonly holds: string
  /** The configuration, with the trap as its value; or all that there is to set. */
  readonly set: readonly string[] | ((arena: Arena) => void)
  readonly attributes?: string
  readonly naive: readonly (readonly string[])[]
}

/** A repository whose configuration or hooks name the trap. */
export function configured({ input, harm, holds, set, attributes, naive }: Configured): Case {
  const prepare = (arena: Arena): void => {
    if (attributes) {
      arena.write({ '.gitattributes': attributes })
      arena.git(['add', '.gitattributes'])
      arena.git(['commit', '-qm', 'attributes'])
    }
    if (typeof set === 'function') set(arena)
    else for (const name of set) arena.git(['config', name, arena.trap])
    // Git has to look at the content again.
    utimesSync(join(arena.repository, 'README.md'), 1, 1)
  }
  return {
    input,
    harm,
    holds,
    naive(arena) {
      prepare(arena)
      ordinaryWork(arena, ...naive)
    },
    async guarded(arena) {
      prepare(arena)
      assert.deepEqual(await wholeWay(arena), ['src/app.py'])
    },
  }
}

interface Borrowed {
  readonly input: string
  readonly harm: string
  readonly holds: string
  /** Makes the folder that a person names, with the git of another. */
  readonly borrow: (arena: Arena, theirs: string) => string
}

/** A folder whose git is that of another repository. */
export function borrowed({ input, harm, holds, borrow }: Borrowed): Case {
  const prepare = (arena: Arena) => {
    const theirs = join(arena.home, 'theirs')
    arena.git(['init', '-q', '-b', 'main', theirs])
    arena.git(['commit', '-q', '--allow-empty', '-m', 'theirs'], theirs)
    return { theirs, folder: borrow(arena, theirs) }
  }
  return {
    input,
    harm,
    holds,
    naive(arena) {
      const { theirs, folder } = prepare(arena)
      plainGit(['branch', 'fix/it'], plainGit(['rev-parse', '--show-toplevel'], folder))
      const heads = plainGit(['for-each-ref', '--format=%(refname)'], theirs)
      arena.alarmIf(heads.includes('fix/it'), 'another repository got a branch')
    },
    async guarded(arena) {
      const { theirs, folder } = prepare(arena)
      const found = await inspectRepository(folder)
      assert.ok(found.kind === 'elsewhere' && [theirs, join(arena.home, 'linked')].includes(found.where))
    },
  }
}
