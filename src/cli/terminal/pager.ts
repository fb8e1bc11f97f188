// Shows a long text page by page on a terminal, as git does: `FIXWRIGHT_PAGER`, `PAGER`, or less. An empty one means none.
import { print } from './console.ts'
import { toLocaleText } from './locale.ts'
import { sanitizeOutput } from './sanitize.ts'

const NOT_FOUND = 127
const USUAL_ROWS = 24

export async function printPaged(text: string): Promise<void> {
  const pager = process.env.FIXWRIGHT_PAGER ?? process.env.PAGER ?? 'less'
  // A terminal that does not know its height reports 0.
  const fits = text.split('\n').length < (process.stdout.rows || USUAL_ROWS)
  if (!process.stdout.isTTY || fits || pager.trim() === '') return print(text)
  const { execa } = await import('execa')
  // Ctrl-C is the pager's; it ends what it runs, not the pager.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  try {
    const ended = await execa('/bin/sh', ['-c', pager], {
      env: { LESS: process.env.LESS ?? 'FRX' },
      input: `${toLocaleText(sanitizeOutput(text))}\n`,
      stdout: 'inherit',
      stderr: 'inherit',
      reject: false,
    })
    if (ended.exitCode === NOT_FOUND) print(text)
  } finally {
    process.off('SIGINT', ignore)
  }
}
