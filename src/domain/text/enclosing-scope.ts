// Finds the function, or else the class, that lines of code stand in: by indentation and the look of its first line, in any language.
// Gap: a header that spans several lines is found by its first line only where that is indented less than what it encloses.

export interface EnclosingScope {
  /** Line numbers, from 1. */
  readonly from: number
  readonly to: number
  readonly name: string
}

const TAB_WIDTH = 4
/** A longer line is no header, and would cost the patterns time. */
const MAX_HEADER = 300
const NAME = '([A-Za-z_$][\\w$]*[?!]?)'
const HEADERS = [
  // `def total`, `func (b *Basket) Total`, `async function total`, `fn total<T>`
  new RegExp(`\\b(?:def|func|fn|fun|function\\*?|sub|proc)\\s+(?:\\([^)]*\\)\\s*)?(?:self\\.)?${NAME}`),
  // `const total = async (items) =>`, `total: function (items)`
  new RegExp(`${NAME}\\s*(?::[^=]*)?[=:]\\s*(?:async\\s*)?(?:function\\b|(?:\\([^)]*\\)|[\\w$]+)\\s*(?::[^=]*)?=>)`),
  new RegExp(`\\b(?:class|interface|struct|trait|impl|module|enum|object)\\s+${NAME}`),
]
/** `public static int total(List<Item> items) {`, `it('adds', () => {`; the bracket may stand on the next line. */
const METHOD = new RegExp(`^\\s*(?:[\\w<>\\[\\],.&*:~]+\\s+)*${NAME}\\s*\\([^;]*$`)
const STATEMENTS =
  /^(?:if|else|for|foreach|while|do|switch|case|catch|try|finally|with|return|throw|raise|when|match|new|await|yield|except|elif|unless|until|using|lock|select|and|or|not|assert|print)$/

export function findEnclosingScope(lines: readonly string[], first: number, last: number): EnclosingScope | undefined {
  const changed = lines.slice(first - 1, last).filter(isFilled)
  let limit = Math.min(...changed.map(measureIndent), Number.POSITIVE_INFINITY)
  for (let at = first; at >= 1; at -= 1) {
    const line = lines[at - 1] ?? ''
    if (!isFilled(line)) continue
    const indent = measureIndent(line)
    if (at < first && indent >= limit) continue
    if (line.trim() === '{') continue
    const name = parseHeader(line.slice(0, MAX_HEADER), lines[at] ?? '')
    if (name !== undefined) return { from: at, to: findEnd(lines, indent, Math.max(last, at)), name }
    limit = Math.min(limit, indent)
  }
  return undefined
}

function parseHeader(line: string, next: string): string | undefined {
  const isOpened = /\{\s*$/.test(line) || next.trim() === '{'
  for (const pattern of isOpened ? [...HEADERS, METHOD] : HEADERS) {
    const name = pattern.exec(line)?.[1]
    if (name !== undefined) return STATEMENTS.test(name) ? undefined : name
  }
  return undefined
}

/** The last line that is indented more than the header, with a closing bracket or `end` below it. */
function findEnd(lines: readonly string[], indent: number, last: number): number {
  let end = last
  for (let at = last + 1; at <= lines.length; at += 1) {
    const line = lines[at - 1] ?? ''
    if (!isFilled(line)) continue
    if (at === last + 1 && line.trim() === '{') continue
    if (measureIndent(line) <= indent) return /^\s*(?:[)}\]]|end\b)/.test(line) ? at : end
    end = at
  }
  return end
}

function isFilled(line: string): boolean {
  return line.trim() !== ''
}

function measureIndent(line: string): number {
  const blank = /^[ \t]*/.exec(line)?.[0] ?? ''
  return blank.replaceAll('\t', ' '.repeat(TAB_WIDTH)).length
}
