// Writes metrics in Prometheus' text format, version 0.0.4.
import type { Distribution } from '../../domain/session/statistics.ts'

export type Labels = Readonly<Record<string, string>>

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly values: readonly { readonly labels?: Labels; readonly value: number }[]
}

export interface Histogram {
  readonly name: string
  readonly help: string
  readonly type: 'histogram'
  readonly bounds: readonly number[]
  readonly values: readonly { readonly labels?: Labels; readonly distribution: Distribution }[]
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function formatMetrics(metrics: readonly (Metric | Histogram)[]): string {
  return metrics.map((metric) => `${[...listHeader(metric), ...listSamples(metric)].join('\n')}\n`).join('')
}

function listHeader({ name, help, type }: Metric | Histogram): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

function listSamples(metric: Metric | Histogram): string[] {
  const { name } = metric
  if (metric.type !== 'histogram') return metric.values.map(({ labels, value }) => formatSample(name, labels, value))
  return metric.values.flatMap(({ labels, distribution: { count, sum, upTo } }) => [
    ...metric.bounds.map((bound, index) =>
      formatSample(`${name}_bucket`, { ...labels, le: `${bound}` }, upTo[index] ?? 0),
    ),
    formatSample(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    formatSample(`${name}_sum`, labels, sum),
    formatSample(`${name}_count`, labels, count),
  ])
}

function formatSample(name: string, labels: Labels = {}, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
