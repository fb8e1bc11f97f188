// Trailers of our commits: by them tools find a session's commits and the evidence for each.

import type { CommitTrain } from '../session/session.ts'
import { toSingleLine } from './neutralize-text.ts'

/** `short` names session and issues; `none` leaves only the sign-off. */
export type TrailerDetail = 'full' | 'short' | 'none'

export interface CommitTrailers {
  readonly detail: TrailerDetail
  readonly session: string
  readonly codes: readonly string[]
  /** Evidence for the commit, as `Fixwright-Challenged: 97 (gemini-2.5-flash)`; missing proof is stated too. */
  readonly proof: readonly (readonly [name: string, value: string])[]
  /** Absent if the commit was judged by itself. */
  readonly train?: CommitTrain | undefined
  /** The person who signs it off: `Ada <ada@example.org>`. */
  readonly signedOffBy?: string | undefined
}

export function formatTrailers({ detail, session, codes, proof, train, signedOffBy }: CommitTrailers): string[] {
  const evidence = [...proof, ...(train ? [['Train', describeTrain(train)] as const] : [])]
  return [
    ...(detail === 'none' ? [] : codes.map((code) => `Fixwright-Issue: ${code}`)),
    ...(detail === 'full' ? evidence.map(([name, value]) => `Fixwright-${name}: ${toSingleLine(value)}`) : []),
    ...(detail === 'none' ? [] : [`Fixwright-Session: ${session}`]),
    ...(signedOffBy === undefined ? [] : [`Signed-off-by: ${toSingleLine(signedOffBy)}`]),
  ]
}

export function describeTrain({ place, of, tree }: CommitTrain): string {
  return `${place} of ${of}, judged as tree ${tree}`
}

/** The lines by which a commit of ours is known after a rebase: its trailers, else its subject. */
export function listTraces(message: string, { session, codes }: Pick<CommitTrailers, 'session' | 'codes'>): string[] {
  const [subject = ''] = message.split('\n', 1)
  if (findTrailer(message, 'Session') === undefined && subject !== '') return [subject]
  return [`Fixwright-Session: ${session}`, ...codes.map((code) => `Fixwright-Issue: ${code}`)]
}

/** A Fixwright trailer of a commit message. */
export function findTrailer(message: string, name: string): string | undefined {
  const lines = message.trimEnd().split('\n\n').at(-1)?.split('\n') ?? []
  const start = `Fixwright-${name}: `
  return lines.find((line) => line.startsWith(start))?.slice(start.length)
}
