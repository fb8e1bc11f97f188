// What a file is made of: its functions, methods, types and variables, as ranges of lines, with all before the first as `head`.
// Gap: read by indentation and by closing lines, not parsed. A block that holds text at the margin ends too early, and its fix proves nothing.

export interface Block {
  /** `name`, or `Owner.method`; the second of a name is `name@2`. */
  readonly name: string
  readonly start: number
  /** After its last line. */
  readonly end: number
}

interface Definition {
  readonly name: string
  /** Whether what is defined inside is listed as well. */
  readonly owner?: boolean
}

const HEAD = 'head'

/** In the order of the file. An owner's methods follow it and lie within it. */
export function listBlocks(file: string, lines: readonly string[]): Block[] {
  const blocks = file.endsWith('.py')
    ? nestedBlocks(lines, PYTHON)
    : file.endsWith('.rs')
      ? nestedBlocks(lines, RUST)
      : braceBlocks(lines)
  const seen = new Map<string, number>()
  const named = blocks.map((block) => {
    const nth = (seen.get(block.name) ?? 0) + 1
    seen.set(block.name, nth)
    return nth > 1 ? { ...block, name: `${block.name}@${nth}` } : block
  })
  return [{ name: HEAD, start: 0, end: named[0]?.start ?? lines.length }, ...named]
}

interface Nesting {
  /** Indentation, kind and name. */
  readonly definition: RegExp
  /** The kinds that own what is defined in them. */
  readonly owners: readonly string[]
  /** How a line begins that belongs to the definition below it. */
  readonly decorator: string
}

const PYTHON: Nesting = { definition: /^(\s*)(?:async )?(def|class) (\w+)/, owners: ['class'], decorator: '@' }
const RUST: Nesting = {
  definition: /^(\s*)(?:pub )?(fn|struct|enum|impl)(?:<[^>]*>)? (?:[\w:<>']+ for )?(\w+)/,
  owners: ['impl'],
  decorator: '#[',
}

function nestedBlocks(lines: readonly string[], { definition, owners, decorator }: Nesting): Block[] {
  const blocks: Block[] = []
  let owner: Block | undefined
  for (const [at, line] of lines.entries()) {
    const [, indent = '', kind = '', name = ''] = definition.exec(line) ?? []
    if (kind === '') continue
    if (owner && at >= owner.end) owner = undefined
    if (indent !== '' && !(owner && indent === '    ' && !owners.includes(kind))) continue
    const block = {
      name: owner ? `${owner.name}.${name}` : name,
      start: withDecorators(lines, at, `${indent}${decorator}`),
      end: endByIndent(lines, at, indent),
    }
    blocks.push(block)
    if (owners.includes(kind)) owner = block
  }
  return blocks
}

function withDecorators(lines: readonly string[], at: number, decorator: string): number {
  let start = at
  while (lines[start - 1]?.startsWith(decorator)) start -= 1
  return start
}

function endByIndent(lines: readonly string[], at: number, indent: string): number {
  let end = at + 1
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? ''
    if (line.trim() === '') continue
    const inside = line.startsWith(`${indent} `) || /^(?:[)\]{}]|where$)/.test(line.slice(indent.length))
    if (!inside) break
    end = next + 1
  }
  return end
}

/** Go, JavaScript, and whatever else closes what began at the margin by a line at the margin. */
function braceBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  for (const [at, line] of lines.entries()) {
    const found = definitionIn(line)
    if (!found) continue
    const closed = lines.findIndex((other, index) => index > at && /^[)\]}`]/.test(other))
    const oneLine = !/[({[`,]$/.test(line.trimEnd())
    blocks.push({ name: found.name, start: at, end: oneLine || closed < 0 ? at + 1 : closed + 1 })
  }
  return blocks
}

function definitionIn(line: string): Definition | undefined {
  const [, owner, method] = /^func \((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) (\w+)/.exec(line) ?? []
  if (owner && method) return { name: `${owner}.${method}` }
  const [, title] = /^test\('([^']+)'/.exec(line) ?? []
  if (title) return { name: title.replaceAll(/\W+/g, '-').replace(/-$/, '') }
  if (line.startsWith('module.exports = function')) return { name: 'exports' }
  const [, name] = /^(?:func|function|type|var|const) (\w+)/.exec(line) ?? []
  return name === undefined ? undefined : { name }
}
