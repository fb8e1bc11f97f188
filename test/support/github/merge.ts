// Merges a pull request in the three ways that GitHub offers, with the plain git of the machine, in a clone of its own.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BedItem } from './state.ts'

export interface BedMerge {
  readonly merge: 'merge' | 'squash' | 'rebase'
  /** What whoever merged wrote into these files. */
  readonly files?: Readonly<Record<string, string>>
}

/** Returns the commit that the base is at then. */
export function mergePull(bare: string, item: BedItem, { merge, files = {} }: BedMerge): string {
  const { pull, number, title } = item
  if (!pull) throw new Error(`#${number} is no pull request`)
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-merge-'))
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@github.test', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  try {
    git('clone', '-q', '-b', pull.base, bare, '.')
    const head = `origin/${pull.head}`
    if (merge === 'merge') git('merge', '-q', '--no-ff', '-m', `Merge pull request #${number}`, head)
    if (merge === 'squash') {
      git('merge', '-q', '--squash', head)
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
      git('add', '-A')
      git('commit', '-q', '-m', `${title} (#${number})`)
    }
    if (merge === 'rebase') {
      git('checkout', '-q', '-b', 'rebased', head)
      git('rebase', '-q', '--force-rebase', `origin/${pull.base}`)
    }
    git('push', '-q', 'origin', `HEAD:refs/heads/${pull.base}`)
    return git('rev-parse', 'HEAD')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
