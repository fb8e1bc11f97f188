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
  const blocks = file.endsWith('.py') ? pythonBlocks(lines) : braceBlocks(lines)
  const seen = new Map<string, number>()
  const named = blocks.map((block) => {
    const nth = (seen.get(block.name) ?? 0) + 1
    seen.set(block.name, nth)
    return nth > 1 ? { ...block, name: `${block.name}@${nth}` } : block
  })
  return [{ name: HEAD, start: 0, end: named[0]?.start ?? lines.length }, ...named]
}

function pythonBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let owner: Block | undefined
  for (const [at, line] of lines.entries()) {
    const [, indent = '', kind, name = ''] = /^(\s*)(?:async )?(def|class) (\w+)/.exec(line) ?? []
    if (kind === undefined) continue
    if (owner && at >= owner.end) owner = undefined
    if (indent !== '' && !(owner && indent === '    ' && kind === 'def')) continue
    const block = {
      name: owner ? `${owner.name}.${name}` : name,
      start: withDecorators(lines, at, indent),
      end: endByIndent(lines, at, indent),
    }
    blocks.push(block)
    if (kind === 'class') owner = block
  }
  return blocks
}

function withDecorators(lines: readonly string[], at: number, indent: string): number {
  let start = at
  while (lines[start - 1]?.startsWith(`${indent}@`)) start -= 1
  return start
}

function endByIndent(lines: readonly string[], at: number, indent: string): number {
  let end = at + 1
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next] ?? ''
    if (line.trim() === '') continue
    const inside = line.startsWith(`${indent} `) || /^[)\]}]/.test(line.slice(indent.length))
    if (!inside) break
    end = next + 1
  }
  return end
}

/** Go, and whatever else closes what began at the margin by a line at the margin. */
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
  const [, name] = /^(?:func|type|var|const) (\w+)/.exec(line) ?? []
  return name === undefined ? undefined : { name }
}
