// Posts a body to an address that others chose. Its name is resolved once, the answer is checked, and the connection goes there; nothing is
// followed, and of what comes back only the status is read.
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { resolveHost } from './resolve-host.ts'

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
  const timeout = AbortSignal.timeout(timeoutMs)
  const resolved = await resolveHost(url.hostname, { mayBePrivate, timeoutMs })
  if (resolved.kind !== 'resolved') return resolved
  const addresses = [...resolved.addresses]
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
