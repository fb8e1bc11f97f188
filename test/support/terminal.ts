// `bin/fixwright` in a real pseudo-terminal, as a person has it: what it shows is read, what is typed goes to it key by key.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { until } from './until.ts'

export interface Terminal {
  readonly child: ChildProcess
  /** All that was shown so far, without colours and cursor movements. */
  shown(): string
  /** Waits until what came since the last such wait matches. */
  shows(pattern: RegExp): Promise<void>
  types(keys: string): void
  readonly ended: Promise<number | null>
}

export const ENTER = '\r'
export const CTRL_C = '\x03'
export const CTRL_D = '\x04'

// A terminal does not say how wide it is, which is the worst case, unless a test wants one. It ends with its program, and its program
// with it.
const PTY = `
import fcntl, os, pty, select, struct, sys, termios
rows, columns = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    if columns:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
inputs = [terminal, 0]
while True:
    ready, _, _ = select.select(inputs, [], [])
    if terminal in ready:
        try:
            text = os.read(terminal, 65536)
        except OSError:
            break
        if not text:
            break
        os.write(1, text)
    if 0 in ready:
        keys = os.read(0, 65536)
        if keys:
            os.write(terminal, keys)
        else:
            inputs.remove(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

/** Not by its name: a wrapper of it may look for its own things in the HOME, which the command has another of. */
let python: string | undefined

export interface TerminalSetup {
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  readonly size?: { readonly rows: number; readonly columns: number }
}

export function atTerminal(
  t: TestContext,
  { environment, folder, size = { rows: 0, columns: 0 } }: TerminalSetup,
  ...args: readonly string[]
): Terminal {
  const command = [join(packageRoot(), 'bin', 'fixwright'), ...args]
  python ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()
  const child = spawn(python, ['-c', PTY, `${size.rows}`, `${size.columns}`, ...command], {
    cwd: folder,
    env: { ...environment, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  t.after(() => child.kill('SIGKILL'))
  const plain = (): string => stripVTControlCharacters(shown).replaceAll('\r', '')
  return {
    child,
    ended,
    shown: plain,
    async shows(pattern) {
      const isThere = (): boolean => {
        const found = pattern.exec(plain().slice(seen))
        if (found) seen += found.index + found[0].length
        return found !== null
      }
      await until(`the terminal shows ${pattern}`, isThere).catch((error: Error) => {
        throw new Error(`${error.message}\nIt shows:\n${plain()}`)
      })
    },
    types: (keys) => void child.stdin.write(keys),
  }
}
