import type { Pull } from '../forge.ts'

export interface PullData {
  readonly number: number
  readonly html_url: string
  readonly title: string
  readonly body: string | null
  readonly state: string
  readonly user: { readonly login: string } | null
  readonly base: { readonly ref: string; readonly sha: string; readonly repo: { readonly full_name: string } }
  /** A fork may be gone. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repo: { readonly full_name: string } | null }
}

export function toPull({ number, html_url, title, body, state, user, base, head }: PullData, isMerged: boolean): Pull {
  const now = isMerged ? 'merged' : state === 'open' ? 'open' : 'closed'
  return {
    number,
    url: html_url,
    title,
    body: body ?? '',
    state: now,
    author: user?.login ?? '',
    base: base.ref,
    baseCommit: base.sha,
    head: head.sha,
    branch: head.ref,
    isFromFork: head.repo?.full_name !== base.repo.full_name,
  }
}
