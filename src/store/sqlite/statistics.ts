import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Distribution, HistogramBounds, Statistics } from '../../domain/session/statistics.ts'
import type { StatisticsReader } from '../statistics.ts'
import { retryWhileLocked } from './dialect.ts'

type Row = Readonly<Record<string, SQLOutputValue>>

export function createStatisticsReader(database: DatabaseSync): StatisticsReader {
  const read = (sql: string): Row[] => database.prepare(sql).all()
  return {
    read: async (bounds) => await retryWhileLocked(() => readStatistics(read, bounds)),
  }
}

function readStatistics(read: (sql: string) => Row[], bounds: HistogramBounds): Statistics {
  const issues = read(`
    select ${selectDistribution('score', "json_extract(outcome, '$.fix_gemini_score')", bounds.score)},
      ${selectDistribution('rounds', "json_extract(outcome, '$.iterations')", bounds.rounds)}
    from session_issues where outcome is not null`)
  const calls = read(`
    select role, sum(state = 'started') as running, sum(state = 'finished') as finished, sum(state = 'lost') as lost,
      sum(attempt > 1) as retries, coalesce(sum(cost_usd), 0) as cost_usd,
      ${selectDistribution('duration', 'duration_ms / 1000.0', bounds.callSeconds)},
      ${selectDistribution('queue', 'queued_ms / 1000.0', bounds.queueSeconds)}
    from agent_calls group by role order by role`)
  return {
    sessions: read(
      'select kind, status, count(*) as count from sessions group by kind, status order by kind, status',
    ).map(({ kind, status, count }) => ({ kind: `${kind}`, status: `${status}`, count: Number(count) })),
    waiting: read(`
      select json_extract(waiting, '$.kind') as kind, count(*) as count
      from sessions where ended_at is null and waiting is not null group by 1 order by 1`).map(({ kind, count }) => ({
      kind: `${kind}`,
      count: Number(count),
    })),
    calls: calls.map((row) => ({
      role: `${row.role}`,
      running: Number(row.running),
      finished: Number(row.finished),
      lost: Number(row.lost),
      retries: Number(row.retries),
      cost_usd: Number(row.cost_usd),
      duration: toDistribution('duration', row, bounds.callSeconds),
      queue: toDistribution('queue', row, bounds.queueSeconds),
    })),
    scores: toDistribution('score', issues[0] ?? {}, bounds.score),
    rounds: toDistribution('rounds', issues[0] ?? {}, bounds.rounds),
  }
}

/** A value that is not known counts nowhere. */
function selectDistribution(name: string, value: string, bounds: readonly number[]): string {
  const upTo = bounds.map((bound, index) => `coalesce(sum(${value} <= ${bound}), 0) as ${name}_${index}`)
  return [`count(${value}) as ${name}_count`, `coalesce(sum(${value}), 0) as ${name}_sum`, ...upTo].join(', ')
}

function toDistribution(name: string, row: Row, bounds: readonly number[]): Distribution {
  return {
    count: Number(row[`${name}_count`] ?? 0),
    sum: Number(row[`${name}_sum`] ?? 0),
    upTo: bounds.map((_, index) => Number(row[`${name}_${index}`] ?? 0)),
  }
}
