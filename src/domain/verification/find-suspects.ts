// Reads which changed files the output of a failed command names: compilers and test runners give the path of what they stumble over.

/** The owners of the changed files that a text names, by path or by a file name that no other changed file has. */
export function findSuspects(text: string, owners: Readonly<Record<string, readonly string[]>>): string[] {
  const paths = Object.keys(owners)
  const isUnique = (name: string) => paths.filter((path) => getBaseName(path) === name).length === 1
  const named = paths.filter((path) => {
    const name = getBaseName(path)
    return namesPath(text, path, /[\w.-]$/) || (isUnique(name) && namesPath(text, `${name}:`, /[\w./-]$/))
  })
  return [...new Set(named.flatMap((path) => owners[path] ?? []))].sort()
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A longer path may end in this one: commands also print where the tree lies. */
function namesPath(text: string, path: string, notBefore: RegExp): boolean {
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const end = text.slice(at + path.length, at + path.length + 2)
    if (!notBefore.test(text.slice(Math.max(at - 1, 0), at)) && !/^(?:[\w/-]|\.\w)/.test(path.endsWith(':') ? '' : end))
      return true
  }
  return false
}
