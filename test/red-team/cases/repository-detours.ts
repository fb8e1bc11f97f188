// A `.git` that is a folder of its own, and in which one thing leads out: what git writes, it writes where that leads.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspectRepository } from '../../../src/platform/git/repository/inspect.ts'
import { publishBranch } from '../../../src/platform/git/repository/publish-branch.ts'
import { commitTree } from '../../../src/platform/git/workspace/commits.ts'
import { createSnapshot } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { AT, AUTHOR } from '../../platform/git/support.ts'
import type { Arena, Case } from '../harness.ts'
import { BRANCH, ordinaryWork } from './repository-ways.ts'

interface Detour {
  readonly input: string
  readonly harm: string
  /** Below `.git`. */
  readonly link: string
  /** Makes the link, to a folder of somebody else's; or whatever else it takes. */
  readonly lead?: (link: string, theirs: string) => void
}

function detour({ input, harm, link, lead = leadTo }: Detour): Case {
  const make = ({ repository, home }: Arena) => {
    const [path, theirs] = [join(repository, '.git', link), join(home, 'theirs')]
    mkdirSync(theirs)
    lead(path, theirs)
    const names = () => readdirSync(theirs, { recursive: true, encoding: 'utf8' }).sort().join('\n')
    const before = names()
    return { path, theirs, isTouched: () => names() !== before }
  }
  return {
    input,
    harm,
    holds: 'refused, at the start and again before anything is written, with the link and where it leads',
    naive(arena) {
      const { isTouched } = make(arena)
      ordinaryWork(arena, ['checkout', '-q', '-b', BRANCH], ['commit', '-qam', 'x'])
      arena.alarmIf(isTouched(), 'something was written into a folder of somebody else’s')
    },
    async guarded(arena) {
      const workspace = await arena.open('session', { branch: BRANCH })
      const { base } = workspace
      arena.write({ 'src/app.py': 'def f():\n    return 2\n' }, workspace.tree)
      const { tree } = await createSnapshot(workspace, { name: 'one', parent: base, message: '', at: AT })
      const commit = await commitTree(workspace, { tree, parent: base, message: 'x', author: AUTHOR, at: AT })
      const { path, theirs, isTouched } = make(arena)
      const found = await inspectRepository(arena.repository)
      assert.ok(found.kind === 'led_away' && found.via.startsWith(path), JSON.stringify(found))
      assert.ok(found.target.startsWith(theirs), found.target)
      const outcome = await publishBranch({ workspace, branch: BRANCH, commit, expected: undefined })
      assert.ok(outcome.kind === 'refused' && outcome.why.includes(path), JSON.stringify(outcome))
      arena.alarmIf(isTouched(), 'something was written into a folder of somebody else’s')
    },
  }
}

function leadTo(link: string, theirs: string): void {
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { recursive: true, force: true })
  symlinkSync(theirs, link)
}

/** With what is in it, which git could not do without. */
function moveTo(link: string, theirs: string): void {
  const moved = join(theirs, 'moved')
  mkdirSync(theirs, { recursive: true })
  renameSync(link, moved)
  leadTo(link, moved)
}

function leadEachTo(objects: string, theirs: string): void {
  const taken = readdirSync(objects)
  for (let number = 0; number < 256; number++) {
    const name = number.toString(16).padStart(2, '0')
    if (taken.includes(name)) moveTo(join(objects, name), join(theirs, name))
    else leadTo(join(objects, name), theirs)
  }
}

export const DETOURS: readonly Case[] = [
  detour({
    input: '`.git/refs` that is a link to the references of another repository',
    harm: 'its branches are made, and moved',
    link: 'refs',
    lead: moveTo,
  }),
  detour({
    input: '`.git/objects` that is a link to the objects of another repository',
    harm: 'objects are written there',
    link: 'objects',
    lead: moveTo,
  }),
  detour({
    input: 'folders of `.git/objects` that are links: `objects/00` to `objects/ff`',
    harm: 'files are written wherever they lead',
    link: 'objects',
    lead: leadEachTo,
  }),
  detour({
    input: '`.git/logs` that is a link',
    harm: 'a branch that moves is written down wherever it leads',
    link: 'logs',
  }),
  detour({
    input: 'a folder of branches that is a link: `.git/refs/heads/fix`',
    harm: 'making a branch writes a file wherever it leads',
    link: 'refs/heads/fix',
  }),
]
