// The calls of a session as they were made: a program stands in for each CLI in a session that is not measured, writes down its
// arguments, its standard input and the folder that it is shown, and then is that CLI.
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPaths } from '../rehearsal/environment.ts'

export interface RecordedCommand {
  readonly cli: 'claude' | 'gemini'
  readonly args: readonly string[]
  readonly stdin: string
}

/** Returns the folder to put in front of PATH. `folder`: takes what is recorded. */
export function setRecorders(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const clis = cliPaths()
  for (const cli of ['claude', 'gemini'] as const) {
    const file = join(bin, cli)
    // `--version` and the like are no calls.
    const script = [
      '#!/bin/bash',
      `case "$*" in *stream-json*) ;; *) exec '${clis[cli]}' "$@" ;; esac`,
      `call='${folder}'/$(date +%s%N)-${cli}`,
      'mkdir "$call"',
      `printf '%s\\0' "$@" > "$call/args"`,
      'cat > "$call/stdin"',
      // The session's own is gone when it ends.
      'for arg; do [ "$flag" = --add-dir ] && cp -r "$arg" "$call/shown"; flag=$arg; done',
      `exec '${clis[cli]}' "$@" < "$call/stdin"`,
    ]
    writeFileSync(file, `${script.join('\n')}\n`)
    chmodSync(file, 0o755)
  }
  return bin
}

/** In the order in which they were made. */
export function readRecordedCommands(folder: string): RecordedCommand[] {
  return readdirSync(folder)
    .filter((name) => /^\d+-/.test(name))
    .sort()
    .map((name) => {
      const args = readFileSync(join(folder, name, 'args'), 'utf8')
        .split('\0')
        .slice(0, -1)
      const shown = join(folder, name, 'shown')
      const was = args[args.indexOf('--add-dir') + 1] ?? ''
      const move = (text: string) => (existsSync(shown) ? text.replaceAll(was, shown) : text)
      // Files that name each other by their paths.
      for (const file of globSync(`${shown}/**/*.json`)) rewrite(file, move)
      return {
        cli: name.endsWith('gemini') ? 'gemini' : 'claude',
        args: args.map(move),
        stdin: move(readFileSync(join(folder, name, 'stdin'), 'utf8')),
      }
    })
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

/** The same call by hand. `input`: a file to write its standard input to. `tree`: what Gemini's tools may read, in place of the session's. */
export function toShellLine(
  { cli, args, stdin }: RecordedCommand,
  { input, tree }: { readonly input: string; readonly tree: string },
): string {
  writeFileSync(input, stdin)
  const own = args.map((value, index) => {
    const flag = args[index - 1]
    if (flag === '--session-id') return randomUUID()
    return flag === '--include-directories' ? tree : value
  })
  const words = [cliPaths()[cli], ...own].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  return `${words.join(' ')} < '${input}' > '${input}.out' 2> '${input}.err'`
}
