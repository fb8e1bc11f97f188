// The frameworks that a repository uses, as far as there are guidelines for them, read from its manifests.
import { isJsonObject, parseJsonIfValid } from '../text/parse-json.ts'
import type { BatchKind, CodeKind } from './code-kind.ts'

export type Framework = 'fastapi' | 'react' | 'next'

export const FRAMEWORK_KIND: Readonly<Record<Framework, CodeKind>> = {
  fastapi: 'backend',
  react: 'frontend',
  next: 'frontend',
}

const NODE_MANIFEST = /(^|\/)package\.json$/
const PYTHON_MANIFEST = /(^|\/)(pyproject\.toml|Pipfile|setup\.(py|cfg)|requirements[^/]*\.(txt|in))$/
/** A requirement by name, whatever follows it: `fastapi[standard]>=0.110`, `"fastapi"`, `fastapi = "*"`. */
const FASTAPI = /^[^#\n]*?(?:^|["'\s])fastapi(?=[\s"'[<>=~!;,@]|$)/im

export interface Manifest {
  readonly path: string
  readonly text: string
}

export function namesFrameworks(path: string): boolean {
  const isOwn = !/(^|\/)(node_modules|vendor)\//.test(path)
  return isOwn && (NODE_MANIFEST.test(path) || PYTHON_MANIFEST.test(path))
}

export function readFrameworks(manifests: readonly Manifest[]): Framework[] {
  const used = new Set(
    manifests.flatMap(({ path, text }) => (NODE_MANIFEST.test(path) ? readNode(text) : readPython(text))),
  )
  return (Object.keys(FRAMEWORK_KIND) as Framework[]).filter((name) => used.has(name))
}

/** Those that code of this kind may use. */
export function frameworksForKind(frameworks: readonly Framework[], kind: BatchKind): Framework[] {
  return frameworks.filter((name) => kind === 'both' || FRAMEWORK_KIND[name] === kind)
}

function readNode(text: string): Framework[] {
  const manifest = parseObject(text)
  const lists = ['dependencies', 'devDependencies', 'peerDependencies'].map((name) => manifest[name])
  const uses = (name: string) =>
    lists.some((list) => typeof list === 'object' && list !== null && Object.hasOwn(list, name))
  return (['react', 'next'] as const).filter(uses)
}

function readPython(text: string): Framework[] {
  return FASTAPI.test(text) ? ['fastapi'] : []
}

/** Empty if it is none: a manifest in the middle of an edit says nothing. */
function parseObject(text: string): Record<string, unknown> {
  const parsed = parseJsonIfValid(text)
  return isJsonObject(parsed) ? parsed : {}
}
