// Resolves a host once and checks what comes of it: another resolution could give another answer, so the connection goes where this one says.
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { findAddressProblem } from './address-rules.ts'

export type ResolvedHost =
  | { readonly kind: 'resolved'; readonly addresses: readonly LookupAddress[] }
  | { readonly kind: 'failed' | 'refused'; readonly reason: string }

export interface ResolveOptions {
  /** The operator has named this host as one of theirs. */
  readonly mayBePrivate: boolean
  readonly timeoutMs: number
}

export async function resolveHost(
  bracketed: string,
  { mayBePrivate, timeoutMs }: ResolveOptions,
): Promise<ResolvedHost> {
  const host = bracketed.replace(/^\[|\]$/g, '')
  let addresses: LookupAddress[] | undefined
  try {
    addresses = isIP(host) === 0 ? await lookUpWithin(timeoutMs, host) : [{ address: host, family: isIP(host) }]
  } catch (error) {
    return { kind: 'failed', reason: `${host} can't be resolved: ${(error as NodeJS.ErrnoException).code}` }
  }
  if (!addresses) return { kind: 'failed', reason: `${host} was not resolved within ${timeoutMs / 1000} s` }
  const problem = addresses.map(({ address }) => findAddressProblem(address, mayBePrivate)).find(Boolean)
  return problem === undefined ? { kind: 'resolved', addresses } : { kind: 'refused', reason: problem }
}

/** No resolution can be ended, so it goes on unheard. */
async function lookUpWithin(timeoutMs: number, host: string): Promise<LookupAddress[] | undefined> {
  const over = AbortSignal.timeout(timeoutMs)
  const ended = new Promise<undefined>((resolve) => over.addEventListener('abort', () => resolve(undefined)))
  return await Promise.race([lookup(host, { all: true }), ended])
}
