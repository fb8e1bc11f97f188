import { APPROVAL_MEAN, type VoteVerdict } from './ballot.ts'

const VERDICTS: Readonly<Record<VoteVerdict, string>> = {
  approved: 'Approved',
  not_approved: 'Not approved',
  no_verdict: 'No verdict',
}

export function describeVerdict(verdict: VoteVerdict, mean: number | null | undefined): string {
  return typeof mean === 'number' ? `${VERDICTS[verdict]}: mean ${mean} of ${APPROVAL_MEAN} needed` : VERDICTS[verdict]
}
