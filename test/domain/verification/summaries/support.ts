// What real runners printed, for small suites: each file holds the outputs of one runner, one after the other.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { OutputSummary, RunnerSummary } from '../../../../src/domain/verification/summaries/output-summary.ts'
import { createSummaryReader } from '../../../../src/domain/verification/summaries/summary-reader.ts'

export interface PrintedOutput {
  readonly name: string
  readonly exitStatus: number
  readonly text: string
}

const folder = join(import.meta.dirname, 'outputs')

export const PRINTED: readonly PrintedOutput[] = globSync('*.txt', { cwd: folder })
  .sort()
  .flatMap((file) => {
    const parts = readFileSync(join(folder, file), 'utf8').split(/^@@ (\S+) exit (\d+)\n/m)
    return parts.flatMap((part, at) =>
      at % 3 === 1
        ? [{ name: `${basename(file, '.txt')} ${part}`, exitStatus: Number(parts[at + 1]), text: parts[at + 2] ?? '' }]
        : [],
    )
  })

export function findPrinted(name: string): PrintedOutput {
  const found = PRINTED.find((printed) => printed.name === name)
  if (!found) throw new Error(`there is no output of ${name}`)
  return found
}

export function summarize(text: string, exitStatus: number | undefined = 1): OutputSummary | undefined {
  const reader = createSummaryReader()
  for (const line of text.split('\n')) reader.line(line)
  return reader.end(exitStatus)
}

/** `pytest ran 4 passed 2 failed [a, b]` */
export function formatRunners(summary: OutputSummary | undefined): string {
  if (!summary) return 'none'
  const { reason, runners } = summary
  return [...(reason === undefined ? [] : [`could_not_start: ${reason}`]), ...runners.map(formatRunner)].join('; ')
}

function formatRunner({ runner, state, failing, ...counts }: RunnerSummary): string {
  const amounts = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
  return [runner, state, ...amounts, ...(failing.length > 0 ? [`[${failing.join(', ')}]`] : [])].join(' ')
}
