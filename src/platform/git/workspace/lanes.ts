// A lane is one more work tree of a session, with an index, a HEAD and a branch of its own. Objects, snapshots and ignore rules are the
// session's: links lead there, so what one lane makes is there for all.
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getPathKind } from '../unruly-files.ts'
import type { Workspace } from './object-store.ts'

const SHARED_FOLDERS = ['objects', 'info', 'refs/fixwright']
const COPIED_FILES = ['config', 'shallow']

/** Makes the lane, or finds it. Its work tree is empty until the first reset. Safe to repeat and to kill: HEAD is written last. */
export function openLane(main: Workspace, number: number): Workspace {
  const directory = join(main.directory, 'lanes', String(number))
  const lane: Workspace = {
    ...main,
    directory,
    gitDir: join(directory, 'git'),
    tree: join(directory, 'tree'),
    sharedFrom: main.directory,
  }
  const head = join(lane.gitDir, 'HEAD')
  if (getPathKind(head) === 'file') return lane
  rmSync(lane.gitDir, { recursive: true, force: true })
  mkdirSync(join(lane.gitDir, 'refs/heads'), { recursive: true, mode: 0o700 })
  for (const folder of SHARED_FOLDERS) {
    mkdirSync(join(main.gitDir, folder), { recursive: true })
    symlinkSync(join(main.gitDir, folder), join(lane.gitDir, folder))
  }
  for (const name of COPIED_FILES) {
    if (getPathKind(join(main.gitDir, name)) === 'file') copyFileSync(join(main.gitDir, name), join(lane.gitDir, name))
  }
  mkdirSync(lane.tree, { recursive: true, mode: 0o700 })
  writeFileSync(head, `ref: refs/heads/${main.branch}\n`)
  return lane
}
