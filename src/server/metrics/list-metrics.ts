// The metrics of a home. Each label has few values, whatever the number of repositories, sessions and issues.
import { WaitingKind } from '../../domain/session/session.ts'
import type { CallStatistics, Distribution, HistogramBounds, Statistics } from '../../domain/session/statistics.ts'
import type { Histogram, Metric } from './format-metrics.ts'
import type { RequestTimes } from './request-times.ts'

export const STATISTICS_BOUNDS: HistogramBounds = {
  callSeconds: [5, 15, 30, 60, 120, 300, 600, 900, 1800],
  queueSeconds: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
  score: [0, 50, 70, 80, 89, 94, 100],
  rounds: [0, 1, 2, 3, 5, 10],
}

export function listMetrics(
  { sessions, waiting, calls, scores, rounds }: Statistics,
  requests: RequestTimes,
  version: string,
): (Metric | Histogram)[] {
  const ofCalls = (name: string, help: string, pick: (call: CallStatistics) => number): Metric => ({
    name: `fixwright_agent_${name}`,
    help,
    type: name.endsWith('_total') ? 'counter' : 'gauge',
    values: calls.map((call) => ({ labels: { role: call.role }, value: pick(call) })),
  })
  const timesOfCalls = (
    name: string,
    help: string,
    bounds: readonly number[],
    pick: (call: CallStatistics) => Distribution,
  ): Histogram => ({
    name: `fixwright_agent_${name}`,
    help,
    type: 'histogram',
    bounds,
    values: calls.map((call) => ({ labels: { role: call.role }, distribution: pick(call) })),
  })
  const ofIssues = (name: string, help: string, bounds: readonly number[], distribution: Distribution): Histogram => ({
    name: `fixwright_issue_${name}`,
    help,
    type: 'histogram',
    bounds,
    values: [{ distribution }],
  })
  return [
    {
      name: 'fixwright_build_info',
      help: 'The version that answers.',
      type: 'gauge',
      values: [{ labels: { version }, value: 1 }],
    },
    {
      name: 'fixwright_sessions',
      help: 'Sessions by their kind and status.',
      type: 'gauge',
      values: sessions.map(({ kind, status, count }) => ({ labels: { kind, status }, value: count })),
    },
    {
      name: 'fixwright_sessions_waiting',
      help: 'Sessions that wait, by what for: a decision, a limit of a provider, a free branch.',
      type: 'gauge',
      values: WaitingKind.options.map((kind) => ({
        labels: { for: kind },
        value: waiting.find((each) => each.kind === kind)?.count ?? 0,
      })),
    },
    ofCalls('calls_running', 'Calls of agents under way.', ({ running }) => running),
    ofCalls('calls_total', 'Calls of agents that gave an answer or failed.', ({ finished }) => finished),
    ofCalls('calls_lost_total', 'Calls of agents that were killed with their worker or session.', ({ lost }) => lost),
    ofCalls('call_retries_total', 'Calls of agents that were made again.', ({ retries }) => retries),
    ofCalls('cost_usd_total', 'What calls of agents cost, as far as it is known.', ({ cost_usd }) => cost_usd),
    timesOfCalls(
      'call_seconds',
      'How long the CLI of an agent ran.',
      STATISTICS_BOUNDS.callSeconds,
      ({ duration }) => duration,
    ),
    timesOfCalls(
      'queue_seconds',
      'How long a step waited for a free place on the host before its first call.',
      STATISTICS_BOUNDS.queueSeconds,
      ({ queue }) => queue,
    ),
    ofIssues('score', "The challenger's last score of each issue of a session.", STATISTICS_BOUNDS.score, scores),
    ofIssues('rounds', 'The fixer rounds that each issue of a session took.', STATISTICS_BOUNDS.rounds, rounds),
    {
      name: 'fixwright_http_request_seconds',
      help: 'How long requests took until their answer began.',
      type: 'histogram',
      bounds: requests.bounds,
      values: requests.list(),
    },
  ]
}
