// Brings a printed line into the form that the runners' patterns expect: no colours, no overwritten text, no prefix of a monorepo tool.

const ESCAPE = '\u001b'
const ESCAPE_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?|[@-Z_])`,
  'g',
)

/** Summaries are short; a longer line is data. */
const LONGEST_LINE = 1_000

/** What a terminal would show of a line; the beginning of it, if it is long. */
export function cleanLine(raw: string): string {
  let line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  const overwritten = line.lastIndexOf('\r')
  if (overwritten !== -1) line = line.slice(overwritten + 1)
  line = line.slice(0, LONGEST_LINE)
  return (line.includes(ESCAPE) ? line.replace(ESCAPE_SEQUENCE, '') : line).trimEnd()
}

/** `[0] `, `[@scope/pkg]: `, `[ERROR] `, `web:test: `, `@scope/pkg: `, `packages/web test: `, `web-1  | ` */
const PREFIX = /^ *(?:\[[^\]\s]{1,80}\]:? |@?[\w./-]{1,80}(?:[:#][\w./-]{1,60}){0,3}(?: [\w:.-]{1,40})?(?:: | +\| ))/

/** The line without the prefix that a monorepo tool, or Maven, puts before each; undefined if there is none. */
export function stripLinePrefix(line: string): string | undefined {
  const prefix = PREFIX.exec(line)?.[0]
  return prefix === undefined ? undefined : line.slice(prefix.length)
}
