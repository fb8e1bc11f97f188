// Classifies an error of a provider's API by status and text, in one table for both vendors, and limits how long a CLI may retry. Quota,
// rate limit, an empty account and a wrong key are four different things, and only the text tells some of them apart.
import type { CallFailure } from '../../domain/session/failure.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { CallOutcome } from '../provider-contract.ts'
import { parseResetTime } from './reset-time.ts'

export interface ClassifiedApiError {
  readonly failure: CallFailure
  readonly tryNextModel: boolean
}

const CREDIT =
  /credit balance|credits? (?:are |is )?(?:depleted|exhausted)|insufficient[_ ](?:funds|balance|credit|g1)|billing (?:is )?(?:disabled|not enabled)|BILLING_DISABLED|payment required/i
const ACCESS =
  /api[_ ]?key (?:not valid|invalid|expired|not found)|API_KEY_INVALID|invalid (?:x-)?api[- ]key|not logged in|please run \/login|oauth token|failed to authenticate|authentication[_ ](?:failed|error)|UNAUTHENTICATED|PERMISSION_DENIED|permission denied on|please set an auth method/i
const NO_MODEL =
  /model.{0,80}(?:not found|is not found|may not exist|not supported|not available)|issue with the selected model|model_not_found/is
const USAGE_LIMIT =
  /usage limit|hit your [\w-]*\s*limit|daily quota|limit reached|quota will reset|exhausted your capacity/i
const NETWORK =
  /fetch failed|connection (?:error|refused|closed|reset)|unable to connect|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|socket hang up|other side closed|\bterminated\b|request timed out|certificate/i

/** What people are told of a provider that gives no status. */
export const NOT_REACHED = 'it was not reached, or did not answer'

export function isNetworkError(text: string): boolean {
  return NETWORK.test(text)
}

/** Undefined if neither the status nor the text is a known error. */
export function classifyApiError(
  status: number | undefined,
  text: string,
  now = Date.now(),
): ClassifiedApiError | undefined {
  const detail = summarizeOnOneLine(text)
  if (status === 402 || CREDIT.test(text)) return { failure: { class: 'billing', detail }, tryNextModel: false }
  if (status === 404 || NO_MODEL.test(text)) return { failure: { class: 'access', detail }, tryNextModel: true }
  if (status === 429 || USAGE_LIMIT.test(text)) {
    const reason = USAGE_LIMIT.test(text) ? 'usage_limit' : 'rate_limit'
    return { failure: limitFailure(reason, parseResetTime(text, now), detail), tryNextModel: true }
  }
  if (status === 401 || status === 403 || ACCESS.test(text))
    return { failure: { class: 'access', detail, credentials: true }, tryNextModel: false }
  if (status !== undefined && status >= 500)
    return { failure: limitFailure('overloaded', parseResetTime(text, now), detail), tryNextModel: true }
  if (NETWORK.test(text)) return { failure: { class: 'infrastructure', detail }, tryNextModel: false }
  return undefined
}

export function limitFailure(
  reason: 'rate_limit' | 'usage_limit' | 'overloaded',
  until: number | undefined,
  detail: string,
): CallFailure {
  return { class: 'limit', reason, ...(until === undefined ? {} : { until }), detail }
}

/** Whether nobody pays for the call: the provider refused it before it began, or was never reached. */
export function isUnbilled(outcome: CallOutcome, begun: boolean): boolean {
  if (begun || outcome.kind === 'answered') return false
  const { failure } = outcome
  if (failure.class === 'infrastructure') return !failure.killed
  return failure.class === 'limit' || failure.class === 'billing' || failure.class === 'access'
}

export interface RetryNotice {
  /** Absent if no answer came at all. */
  readonly status?: number | undefined
  readonly delayMs?: number | undefined
  readonly detail: string
}

export interface RetryWatch {
  /** Records another error. Returns true if waiting for the CLI any longer is pointless. */
  recordRetry(retry: RetryNotice): boolean
  /** An answer came, so earlier errors no longer count. */
  recordProgress(): void
  /** The error that the CLI is waiting out, if any. */
  currentError(): ClassifiedApiError | undefined
}

// If there is another model, a busy one gets a single quick retry.
const NEXT_MODEL_MAX_WAIT_MS = 1_000
const MAX_RETRY_WAIT_MS = 30_000
// A CLI's own backoff stays below this, so a longer wait was named by the provider.
const NAMED_BY_PROVIDER_MS = 45_000

export function watchRetries(options: {
  readonly hasNextModel: boolean
  readonly patienceMs?: number | undefined
  readonly now?: () => number
}): RetryWatch {
  const now = options.now ?? Date.now
  const patience = options.patienceMs ?? MAX_RETRY_WAIT_MS
  let since: number | undefined
  let current: ClassifiedApiError | undefined
  return {
    recordRetry({ status, delayMs = 0, detail }) {
      since ??= now()
      current = classifyApiError(status, detail, now()) ?? {
        failure: { class: 'infrastructure', detail: `no answer from the provider: ${summarizeOnOneLine(detail)}` },
        tryNextModel: false,
      }
      const { failure } = current
      if (failure.class === 'limit' && failure.until === undefined && delayMs > NAMED_BY_PROVIDER_MS)
        current = { ...current, failure: { ...failure, until: now() + delayMs } }
      if (failure.class === 'access' || failure.class === 'billing') return true
      const mayWait =
        options.hasNextModel && current.tryNextModel ? Math.min(patience, NEXT_MODEL_MAX_WAIT_MS) : patience
      return now() - since + delayMs > mayWait
    },
    recordProgress() {
      since = undefined
      current = undefined
    },
    currentError: () => current,
  }
}

export function summarizeOnOneLine(text: string): string {
  return truncateText(text.replace(/\s+/g, ' ').trim(), 300)
}
