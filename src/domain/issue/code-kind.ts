// Which guidelines a file's fixer gets: the extension decides, and everything unknown counts as backend.
export type CodeKind = 'backend' | 'frontend'

const FRONTEND = new Set(['tsx', 'ts', 'jsx', 'js', 'css', 'scss', 'vue', 'svelte', 'html'])

export function classifyFile(file: string): CodeKind {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 && FRONTEND.has(name.slice(dot + 1).toLowerCase()) ? 'frontend' : 'backend'
}

/** One call may be about issues of both. */
export type BatchKind = CodeKind | 'both'

export const KIND_LABEL: Readonly<Record<BatchKind, string>> = { backend: 'BE', frontend: 'FE', both: 'BE+FE' }
