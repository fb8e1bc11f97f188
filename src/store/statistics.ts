import type { HistogramBounds, Statistics } from '../domain/session/statistics.ts'

/** Counts over the whole store, for metrics. They are read anew each time, so no restart of a process sets one back. */
export interface StatisticsReader {
  read(bounds: HistogramBounds): Promise<Statistics>
}
