// Reads what `fix` is to work on: findings from standard input (`-`) or a file, or issues of the store.
import { text } from 'node:stream/consumers'
import { FixwrightError } from '../../app/errors.ts'
import { SEVERITIES } from '../../app/issues.ts'
import type { StartInput } from '../../app/start/start-session.ts'
import { printNotice } from '../terminal/console.ts'
import { parseChoices } from './shared.ts'

export async function readFindingsArgument(typed: string): Promise<string> {
  if (typed !== '-') return typed
  if (process.stdin.isTTY) printNotice('reading the findings from standard input, to its end (Ctrl-D)')
  const given = await text(process.stdin)
  if (/^\s*[[{]/.test(given)) return given
  throw new FixwrightError('findings_invalid', 'standard input: must be JSON, as in {"issues": […]}')
}

interface SelectionOptions {
  readonly open?: true
  readonly severity?: string
  readonly fromImport?: string
}

/** Undefined if findings are given. */
export function readKnownSelection(
  findings: string | undefined,
  { open, severity, fromImport }: SelectionOptions,
): StartInput['known'] {
  if ((findings === undefined) !== (open === true))
    throw new FixwrightError(
      'bad_input',
      'give either findings, or --open for the open issues of the store; "fixwright fix --help" explains both',
    )
  if (open) return { severity: parseChoices('--severity', severity, SEVERITIES), importId: fromImport }
  if (severity === undefined && fromImport === undefined) return undefined
  throw new FixwrightError('bad_input', '--severity and --from-import choose issues of the store: give --open, too')
}
