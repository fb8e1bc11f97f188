// Requests of one token, or of one address without a token, in a minute. Failed sign-ins are counted apart and strictly.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ApiProblem } from '../problem.ts'

export interface RateLimits {
  countRequest(who: string): Promise<void>
  /** A token that counts is never held up by others' guesses: they may come from the same machine. */
  countFailedSignIn(address: string): Promise<void>
}

const MINUTE_S = 60

export interface RequestRates {
  readonly requestsPerMinute: number
  readonly failedSignInsPerMinute: number
}

export function createRateLimits({ requestsPerMinute, failedSignInsPerMinute }: RequestRates): RateLimits {
  const requests = new RateLimiterMemory({ points: requestsPerMinute, duration: MINUTE_S })
  const failures = new RateLimiterMemory({ points: failedSignInsPerMinute, duration: MINUTE_S })
  return {
    countRequest: async (who) => void (await requests.consume(who).catch(refuse)),
    countFailedSignIn: async (address) => void (await failures.consume(address).catch(refuse)),
  }
}

function refuse(reason: unknown): never {
  if (!(reason instanceof RateLimiterRes)) throw reason
  const seconds = Math.max(1, Math.ceil(reason.msBeforeNext / 1000))
  throw new ApiProblem(429, 'too_many_requests', `too many requests: try again in ${seconds} s`, {
    headers: { 'Retry-After': `${seconds}` },
  })
}
