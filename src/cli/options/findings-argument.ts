// Reads the findings that `fix -` gets on standard input; anything else names a file.
import { text } from 'node:stream/consumers'
import { FixwrightError } from '../../app/errors.ts'
import { printNotice } from '../terminal/console.ts'

export async function readFindingsArgument(typed: string): Promise<string> {
  if (typed !== '-') return typed
  if (process.stdin.isTTY) printNotice('reading the findings from standard input, to its end (Ctrl-D)')
  const given = await text(process.stdin)
  if (/^\s*[[{]/.test(given)) return given
  throw new FixwrightError('findings_invalid', 'standard input: must be JSON, as in {"issues": […]}')
}
