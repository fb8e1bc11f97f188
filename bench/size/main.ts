// `npm run bench:size`: what grows with the work, and whether anything grows faster than it. Sessions of 50 to 500 findings, one after
// the other, and 5 to 50 sessions at once, each size on a home of its own, with the real command and CLIs and a model that answers at once.
// Each figure stands beside the one of the smallest size, for one finding or session: more than 1 grows faster than the work.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startModel } from '../../rehearsal/model.ts'
import type { Bench } from '../session.ts'
import type { Figures } from './home-under-load.ts'
import { measureSessions } from './many-sessions.ts'
import { measureFindings } from './one-session.ts'

const { values } = parseArgs({
  options: {
    findings: { type: 'string', default: '50,100,250,500' },
    sessions: { type: 'string', default: '5,25,50' },
    'per-call': { type: 'string', default: '25' },
    lanes: { type: 'string', default: '1' },
  },
})

const perCall = Number(values['per-call'])
await compare('findings in one session', values.findings, (bench, count) =>
  measureFindings(bench, count, { perCall, lanes: values.lanes }),
)
await compare('sessions at once', values.sessions, measureSessions)

async function compare(
  what: string,
  sizes: string,
  measure: (bench: Bench, count: number) => Promise<Figures>,
): Promise<void> {
  let smallest: { readonly count: number; readonly figures: Figures } | undefined
  for (const count of sizes.split(',').filter(Boolean).map(Number)) {
    const folder = mkdtempSync(join(tmpdir(), 'fixwright-size-'))
    const model = await startModel({ scenario: {} })
    try {
      const figures = await measure({ folder, model }, count)
      smallest ??= { count, figures }
      process.stdout.write(`${describe(what, count, figures, smallest)}\n`)
    } finally {
      await model.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
    }
  }
}

function describe(
  what: string,
  count: number,
  figures: Figures,
  smallest: { readonly count: number; readonly figures: Figures },
): string {
  const lines = Object.entries(figures).map(([name, { value, unit, isEach }]) => {
    const least = smallest.figures[name]?.value ?? value
    const growth = isEach ? value / count / (least / smallest.count) : value / least
    const beside = `× ${growth.toFixed(2)}${isEach ? ' for each' : ''}`
    return `  ${name.padEnd(44)}${`${round(value)} ${unit}`.padStart(14)}   ${beside}`
  })
  return [`${count} ${what}, beside ${smallest.count}:`, ...lines].join('\n')
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2)
}
