// How long requests took until their answer began, by route: paths as people ask them would be a series each.
import type { Distribution } from '../../domain/session/statistics.ts'

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface AnsweredRequest {
  readonly method: string
  /** As OpenAPI writes it; `none` where there is no route. */
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export interface RequestTimes {
  readonly bounds: readonly number[]
  note(request: AnsweredRequest): void
  list(): readonly { readonly labels: Readonly<Record<string, string>>; readonly distribution: Distribution }[]
}

export function createRequestTimes(): RequestTimes {
  const series = new Map<string, { labels: Record<string, string>; count: number; sum: number; upTo: number[] }>()
  return {
    bounds: REQUEST_SECONDS,
    note({ method, route, status, seconds }) {
      const key = `${method} ${status} ${route}`
      const found = series.get(key) ?? {
        labels: { method, route, status: `${status}` },
        count: 0,
        sum: 0,
        upTo: REQUEST_SECONDS.map(() => 0),
      }
      series.set(key, found)
      found.count += 1
      found.sum += seconds
      for (const [index, bound] of REQUEST_SECONDS.entries()) {
        if (seconds <= bound) found.upTo[index] = (found.upTo[index] ?? 0) + 1
      }
    },
    list: () => [...series.values()].map(({ labels, ...distribution }) => ({ labels, distribution })),
  }
}
