// Finds the files that a Markdown text imports: `@path` as a word of its own, outside of code.

const FENCE = /^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1`*~*[ \t]*$/gm
const INLINE_CODE = /`[^`\n]*`/g
const IMPORT = /(?:^|\s)@([\w.-][\w./-]*)/g

/** The paths as they are written, each once, without a full stop at their end. */
export function findImports(text: string): string[] {
  const prose = text.replace(FENCE, '').replace(INLINE_CODE, '')
  const paths = [...prose.matchAll(IMPORT)].map(([, path = '']) => path.replace(/\.+$/, ''))
  return [...new Set(paths.filter((path) => path !== ''))]
}
