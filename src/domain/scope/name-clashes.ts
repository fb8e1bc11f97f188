// New names that some file system takes for another name of the tree: letter case, composed accents and invisible characters apart. On such a
// file system one of the two hides the other.
import { caseFold } from './paths.ts'

/** New path → the other path. Folders count as well: `SRC/new.ts` beside `src/`. */
export function findNameClashes(
  treePaths: readonly string[],
  newPaths: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const clashes = new Map<string, string>()
  const old = new Set<string>()
  for (const path of treePaths) if (!newPaths.has(path)) addPrefixes(old, path)
  const bySpelling = new Map<string, string>()
  for (const name of old) bySpelling.set(fold(name), name)
  for (const path of newPaths) {
    for (const name of listPrefixes(path)) {
      if (old.has(name)) continue
      const key = fold(name)
      const other = bySpelling.get(key)
      if (other === undefined) bySpelling.set(key, name)
      else if (other !== name && !clashes.has(path)) clashes.set(path, other)
    }
  }
  return clashes
}

function fold(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII, which folds faster.
  return /^[\u0000-\u007f]*$/.test(name) ? name.toLowerCase() : caseFold(name)
}

function listPrefixes(path: string): string[] {
  const names = path.split('/')
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function addPrefixes(into: Set<string>, path: string): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const prefix = path.slice(0, end)
    if (into.has(prefix)) return
    into.add(prefix)
  }
}
