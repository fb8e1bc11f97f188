// Which paths of a finding may be meant: files inside the repository, never git's own, spelled in one way.
// By the text alone, so it holds anywhere. Gap: where a path leads through symbolic links is for whoever opens it to check.

export type InsidePath =
  | { readonly path: string; readonly problem?: undefined }
  | { readonly problem: string; readonly path?: undefined }

// The longest path that Linux takes.
const MOST_CHARACTERS = 4096

/** `./a//b` is `a/b`; so is `/repo/a/b` where the root is `/repo`. */
export function pathInside(file: string, root?: string): InsidePath {
  if (file.trim() === '') return { problem: 'is empty' }
  if (file.length > MOST_CHARACTERS) return { problem: 'is too long for a path' }
  if (/\p{Cc}/u.test(file)) return { problem: 'holds a control character' }
  if (file.endsWith('/')) return { problem: 'names a folder, not a file' }
  const relative = file.startsWith('/') ? below(file, root) : file
  if (relative === undefined) return { problem: 'lies outside of the repository' }

  const segments: string[] = []
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return { problem: 'lies outside of the repository' }
  }
  if (segments.join('/').trim() === '') return { problem: 'names the repository itself, not a file in it' }
  if (segments.some(isGitsOwn)) return { problem: 'belongs to git itself' }
  return { path: segments.join('/') }
}

/** Of what an agent says it changed, the files in its tree: it also writes `./a` and `/the/tree/a`, or none at all. */
export function pathsInside(files: readonly string[], root: string): string[] {
  return files.flatMap((file) => pathInside(file.trim(), root).path ?? [])
}

function below(file: string, root: string | undefined): string | undefined {
  if (root === undefined) return undefined
  const folder = root.endsWith('/') ? root : `${root}/`
  return file.startsWith(folder) ? file.slice(folder.length) : undefined
}

/** In every spelling that some file system takes for `.git`. */
function isGitsOwn(segment: string): boolean {
  return /^(\.git[ .]*|git~1)$/i.test(segment.replace(/\p{Cf}/gu, ''))
}
