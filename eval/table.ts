// The table of a run: what was resolved and right, resolved and wrong, and not resolved, with cost and time.
import type { EvalCase } from './cases.ts'
import type { Judged, Verdict } from './judge-cases.ts'
import type { PlayedSession } from './play-sessions.ts'

const HEAD = ['', 'cases', 'right', 'wrong', 'not resolved', 'not played', 'cost', 'time']
const COUNTED: readonly Verdict[] = ['right', 'wrong', 'unresolved', 'not played']

export function renderTable(played: readonly PlayedSession[]): string {
  const models = [...new Set(played.map(({ model }) => model))]
  const rows = models.flatMap((model) => {
    const own = played.filter((session) => session.model === model)
    const judged = own.flatMap((session) => session.judged)
    const kinds = [...new Set(judged.map(({ each }) => each.kind))].sort()
    return [
      ...own.map((session) => [
        session.name,
        ...countVerdicts(session.judged),
        describeCost([session]),
        describeSeconds([session]),
      ]),
      ...kinds.map((kind) => [
        describeKind(kind),
        ...countVerdicts(judged.filter(({ each }) => each.kind === kind)),
        '',
        '',
      ]),
      [
        model === undefined ? 'all' : `all of ${model}`,
        ...countVerdicts(judged),
        describeCost(own),
        describeSeconds(own),
      ],
    ]
  })
  const widths = HEAD.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  const notes = played.flatMap(({ judged }) => judged.filter(({ verdict }) => verdict !== 'right').map(describeMiss))
  return [line(HEAD), ...rows.map(line), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

function countVerdicts(judged: readonly Judged[]): string[] {
  return [
    `${judged.length}`,
    ...COUNTED.map((verdict) => `${judged.filter((each) => each.verdict === verdict).length}`),
  ]
}

/** A cost that is known in part is a lower limit. */
function describeCost(played: readonly PlayedSession[]): string {
  const known = played.reduce((sum, { result }) => sum + (result?.cost_usd ?? 0), 0)
  const isPartial = played.some(({ result }) => result === undefined || result.cost_partial)
  return `${isPartial ? '≥ ' : ''}$${known.toFixed(2)}`
}

function describeSeconds(played: readonly PlayedSession[]): string {
  return `${played.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(0)} s`
}

function describeKind(kind: EvalCase['kind']): string {
  return `· ${kind.replaceAll('_', ' ')}`
}

function describeMiss({ each, verdict, note }: Judged): string {
  const what = verdict === 'unresolved' ? 'not resolved' : verdict
  return `${what}: ${each.language}/${each.name} · ${each.finding.title}${note === '' ? '' : ` · ${note.slice(0, 200)}`}`
}
