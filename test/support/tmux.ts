// `bin/fixwright` in a window of tmux, a terminal with a screen: what a person sees at this moment, and whether a line had to be broken.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0

export interface Window {
  /** The screen and what has left it at the top. */
  lines(): readonly string[]
  /** The same, with the lines put together that the terminal had to break. */
  wholeLines(): readonly string[]
  types(...keys: readonly string[]): void
  /** Undefined while the command runs. */
  status(): number | undefined
  close(): void
}

export function openWindow(
  columns: number,
  { environment, folder }: { readonly environment: Readonly<Record<string, string>>; readonly folder: string },
  ...args: readonly string[]
): Window {
  // A server of its own, which ends with its last window. Its socket's name is also its folder's, for who looks for leftovers.
  const socket = join(folder, `tmux-${columns}`)
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-S', socket, ...words], {
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const command = [join(packageRoot(), 'bin', 'fixwright'), ...args].map((word) => `'${word}'`).join(' ')
  const size = ['-x', `${columns}`, '-y', '40']
  tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', folder, `${command}; echo "ended with $?"; exec cat`)
  const capture = (...more: string[]): string[] =>
    tmux('capture-pane', '-p', '-S', '-500', ...more)
      .trimEnd()
      .split('\n')
  return {
    lines: () => capture(),
    wholeLines: () => capture('-J').map((line) => line.trimEnd()),
    types: (...keys) => void tmux('send-keys', ...keys),
    close: () => void tmux('kill-server'),
    status: () => {
      const [, status] = /^ended with (\d+)$/m.exec(capture().join('\n')) ?? []
      return status === undefined ? undefined : Number(status)
    },
  }
}
