// The end of a command that failed: a sentence on standard error, the code of the error on standard output with
// `--json`, its trace with `--debug`. `argv` is read because the options may be unreadable.
import { ERROR_CODES, FixwrightError } from '../../app/errors.ts'
import { toLocaleText } from './locale.ts'
import { sanitizeOutput } from './sanitize.ts'

export async function endWithError(error: unknown, { isPrinted = false } = {}): Promise<void> {
  const { code, message } = await explain(error)
  process.exitCode = ERROR_CODES[code].exit
  if (!isPrinted) process.stderr.write(`fixwright: ${toLocaleText(sanitizeOutput(message))}\n`)
  if (process.argv.includes('--debug')) process.stderr.write(`${sanitizeOutput(formatTrace(error))}\n`)
  if (process.argv.includes('--json') && code !== 'output_unwritable') {
    const { printJson } = await import('./console.ts')
    printJson({ error: { code, message } }, { oneLine: true })
  }
}

async function explain(error: unknown): Promise<FixwrightError> {
  if (error instanceof FixwrightError) return error
  const { explainError } = await import('../../app/explain-error.ts')
  return explainError(error, process.env)
}

function formatTrace(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${formatTrace(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
