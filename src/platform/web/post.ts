// Posts a body to an address that others chose. Its name is resolved once, the answer is checked, and the connection goes there; nothing is
// followed, and of what comes back only the status is read.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { findAddressProblem } from './address-rules.ts'

export interface PostRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  /** Whether the operator has named this host as one of theirs. */
  readonly mayBePrivate: boolean
  readonly signal?: AbortSignal | undefined
}

export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** `refused`: by our own rules, so nothing was sent. */
  | { readonly kind: 'failed' | 'refused'; readonly reason: string }

export async function post({
  url: text,
  headers,
  body,
  timeoutMs,
  mayBePrivate,
  signal,
}: PostRequest): Promise<PostOutcome> {
  const url = new URL(text)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const timeout = AbortSignal.timeout(timeoutMs)
  let addresses: LookupAddress[] | undefined
  try {
    addresses = isIP(host) === 0 ? await resolveUntil(timeout, host) : [{ address: host, family: isIP(host) }]
  } catch (error) {
    return { kind: 'failed', reason: `${host} can't be resolved: ${(error as NodeJS.ErrnoException).code}` }
  }
  if (!addresses) return { kind: 'failed', reason: `${host} was not resolved within ${timeoutMs / 1000} s` }
  const problem = addresses.map(({ address }) => findAddressProblem(address, mayBePrivate)).find(Boolean)
  if (problem !== undefined) return { kind: 'refused', reason: problem }
  // Another resolution could give another answer.
  const found: LookupFunction = (_name, options, answer) => {
    const [first] = addresses
    if (options.all) answer(null, addresses)
    else answer(null, first?.address ?? '', first?.family)
  }
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  return await new Promise<PostOutcome>((resolve) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      lookup: found,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : (error.code ?? error.message)
      resolve({ kind: 'failed', reason })
    })
    sent.on('response', (response) => {
      resolve({ kind: 'answered', status: response.statusCode ?? 0 })
      response.destroy()
    })
    sent.end(body)
  })
}

/** No resolution can be ended, so it goes on unheard. */
async function resolveUntil(over: AbortSignal, host: string): Promise<LookupAddress[] | undefined> {
  const ended = new Promise<undefined>((resolve) => over.addEventListener('abort', () => resolve(undefined)))
  return await Promise.race([lookup(host, { all: true }), ended])
}
