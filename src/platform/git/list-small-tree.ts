// Lists what lies in a small work tree: that takes less time than the start of a program that lists it.
import { type Dirent, readdirSync } from 'node:fs'
import { joinRawPath } from './git.ts'

export interface TreeItem {
  /** The path in latin1, one character a byte. */
  readonly raw: string
  readonly entry: Dirent
}

const MAX_FOLDERS = 200
const MAX_ITEMS = 2_000

/** Everything in the tree, also in its `.git`. Undefined for a large tree, and for one with a folder that can't be read. */
export function listSmallTree(tree: string): TreeItem[] | undefined {
  const folders = ['']
  const items: TreeItem[] = []
  for (const folder of folders) {
    const entries = tryReadFolder(joinRawPath(tree, folder))
    if (entries === undefined) return undefined
    for (const entry of entries) {
      const raw = `${folder}${entry.name}`
      items.push({ raw, entry })
      if (entry.isDirectory()) folders.push(`${raw}/`)
    }
    if (folders.length > MAX_FOLDERS || items.length > MAX_ITEMS) return undefined
  }
  return items
}

function tryReadFolder(path: Buffer): Dirent[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true, encoding: 'latin1' })
  } catch {
    return undefined
  }
}
