// Reads what a TypeScript file imports, and whether it needs the value or only the type: what is left when Node strips the types is a value.
import { stripTypeScriptTypes } from 'node:module'

export interface Import {
  readonly specifier: string
  readonly only: 'value' | 'type'
}

const clause = String.raw`(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\w+|(?:\w+\s*,\s*)?\{[^}]*\})`
const forms = [
  new RegExp(String.raw`^(?:import|export)\s+${clause}\s+from\s+'([^']+)'`, 'gm'),
  /^import\s+'([^']+)'/gm,
  /\bimport\(\s*'([^']+)'/g,
]

export function importsOf(source: string): readonly Import[] {
  const values = new Set(specifiers(stripTypeScriptTypes(source)))
  return [...new Set(specifiers(source))].map((specifier) => ({
    specifier,
    only: values.has(specifier) ? 'value' : 'type',
  }))
}

function specifiers(source: string): string[] {
  return forms.flatMap((form) => [...source.matchAll(form)].map((match) => match[1] ?? ''))
}
