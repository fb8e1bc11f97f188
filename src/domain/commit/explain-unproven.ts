// Says why no check of the operator's proves a committed fix.
import type { IssueFixResult } from '../session/session.ts'
import { findTrailer } from './trailers.ts'

type CommittedFix = Pick<IssueFixResult, 'unproven' | 'proven_by' | 'commit_message'>

/** Undefined if a check proves it. Results of early sessions tell by `proven_by`, or only by the trailers of their commit. */
export function explainUnproven({ unproven, proven_by, commit_message = '' }: CommittedFix): string | undefined {
  if (unproven !== undefined) return unproven
  if (proven_by) return proven_by.includes('checks') ? undefined : UNKNOWN
  return findTrailer(commit_message, 'Verified') === undefined ? UNKNOWN : undefined
}

const UNKNOWN = 'no check has said anything of it'
