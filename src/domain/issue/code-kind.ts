// The kind of a file decides which guidelines its fixer gets. The extension decides the kind; everything unknown counts as backend.
export type CodeKind = 'backend' | 'frontend'

const FRONTEND = new Set(['tsx', 'ts', 'jsx', 'js', 'css', 'scss', 'vue', 'svelte', 'html'])

export function classifyFile(file: string): CodeKind {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 && FRONTEND.has(name.slice(dot + 1).toLowerCase()) ? 'frontend' : 'backend'
}

/** One batch may hold issues of both kinds. */
export type BatchKind = CodeKind | 'both'

export const KIND_LABEL: Readonly<Record<BatchKind, string>> = { backend: 'BE', frontend: 'FE', both: 'BE+FE' }
