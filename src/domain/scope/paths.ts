// Which paths of a finding may be meant: files inside the repository, never git's own, spelled in one way.
// By the text alone, so it holds anywhere. Gap: where a path leads through symbolic links is for whoever opens it to check.

export type ParsedPath =
  | { readonly path: string; readonly problem?: undefined }
  | { readonly problem: string; readonly path?: undefined }

// The longest path that Linux takes.
const MOST_CHARACTERS = 4096

/** `./a//b` is `a/b`; so is `/repo/a/b` where the root is `/repo`. */
export function parsePathInside(file: string, root?: string): ParsedPath {
  if (file.trim() === '') return { problem: 'is empty' }
  if (file.length > MOST_CHARACTERS) return { problem: 'is too long for a path' }
  if (/\p{Cc}/u.test(file)) return { problem: 'holds a control character' }
  if (file.endsWith('/')) return { problem: 'names a folder, not a file' }
  const relative = file.startsWith('/') ? stripRoot(file, root) : file
  if (relative === undefined) return { problem: 'lies outside of the repository' }

  const segments: string[] = []
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return { problem: 'lies outside of the repository' }
  }
  if (segments.join('/').trim() === '') return { problem: 'names the repository itself, not a file in it' }
  if (segments.some(isGitInternal)) return { problem: 'belongs to git itself' }
  return { path: segments.join('/') }
}

/** Of what an agent says it changed, the files in its tree: it also writes `./a` and `/the/tree/a`, or none at all. */
export function parsePathsInside(files: readonly string[], root: string): string[] {
  return files.flatMap((file) => parsePathInside(file.trim(), root).path ?? [])
}

function stripRoot(file: string, root: string | undefined): string | undefined {
  if (root === undefined) return undefined
  const folder = root.endsWith('/') ? root : `${root}/`
  return file.startsWith(folder) ? file.slice(folder.length) : undefined
}

/** Whether it is this folder or file, or lies below it: `packages/webapp` does not lie in `packages/web`. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** What a symbolic link at `path` leads to, by its text and those of the links on its way; undefined where it leaves the tree. */
export function resolveThroughLinks(
  path: string,
  target: string,
  linkAt: (path: string) => string | undefined = () => undefined,
): string | undefined {
  const place = path.split('/').slice(0, -1)
  let names = splitLinkTarget(target)
  for (let links = 0; names !== undefined; ) {
    const [name, ...rest] = names
    if (name === undefined) return place.join('/')
    names = rest
    if (name === '..') {
      if (place.pop() === undefined) return undefined
      continue
    }
    if (isGitInternal(name)) return undefined
    place.push(name)
    const next = linkAt(place.join('/'))
    if (next === undefined) continue
    links += 1
    place.pop()
    const further = links > MOST_LINKS ? undefined : splitLinkTarget(next)
    names = further && [...further, ...rest]
  }
  return undefined
}

// As Linux does.
const MOST_LINKS = 40

/**
 * First up, then down: what is above a name may be somewhere else, where that name is a link of which git does not know.
 * Undefined: it is no path from where it stands.
 */
function splitLinkTarget(target: string): readonly string[] | undefined {
  if (target.startsWith('/') || /^[A-Za-z]:|\\/.test(target)) return undefined
  const names = target.split('/').filter((name) => name !== '.' && name !== '')
  const down = names.findIndex((name) => name !== '..')
  return down >= 0 && names.indexOf('..', down) >= 0 ? undefined : names
}

/** In every spelling that some file system takes for `.git`. */
export function isGitInternal(segment: string): boolean {
  return caseFold(segment)
    .split('\\')
    .some((name) => /^(\.git[ .]*|git~1)(:.*)?$/s.test(name))
}

/**
 * A name as the least attentive file system takes it: without regard to letter case, to how an accent is composed, and to
 * characters that nobody sees. Good for keeping out, never for letting in.
 */
export function caseFold(text: string): string {
  const visible = text.normalize('NFD').replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
  // There and back: some letters only become alike in capitals.
  return visible.toUpperCase().toLowerCase().normalize('NFC')
}
