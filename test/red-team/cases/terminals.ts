// What a hostile text does to a terminal: titles it, clears it, writes into its clipboard, moves about in it, turns lines around.
import type { TestContext } from 'node:test'
import type { Finding } from '../../../src/domain/issue/parse-findings.ts'
import { addSession, type Desk, endSession, finding, setDesk } from '../../cli/support.ts'
import { insertIssues } from '../../support/store.ts'
import { atTerminal } from '../../support/terminal.ts'
import type { Arena } from '../harness.ts'

const ESC = '\u001b'
export const ESCAPES = `${ESC}]0;owned\u0007${ESC}[2J${ESC}]52;c;b3duZWQ=\u0007${ESC}[1A\r\u009b31mgreen\u0085 \u202edessap`

/** All that a command of ours puts on a real terminal, byte by byte. */
export async function onTerminal(arena: Arena, desk: Desk, ...args: readonly string[]): Promise<string> {
  const terminal = atTerminal(arena.t, desk, ...args)
  let shown = ''
  terminal.child.stdout?.on('data', (text: string) => {
    shown += text
  })
  await terminal.ended
  arena.showed(shown)
  return shown
}

/** A home with one session that ended, about one issue. */
export async function deskWith(t: TestContext, more: Partial<Finding>): Promise<Desk> {
  const desk = await setDesk(t)
  await addSession(desk, 'fx-hostile', ['A'])
  await endSession(desk, 'fx-hostile')
  await insertIssues(desk.store, '/repo', 'task', [finding('B', more), finding('C', more)])
  return desk
}
