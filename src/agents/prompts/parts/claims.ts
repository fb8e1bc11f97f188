// What the fixer says about its own work, issue by issue. Where that is too much, its words and the files it names are cut.
import type { FixClaim } from '../../../domain/stage/agent-replies.ts'
import { jsonBlock } from '../data-block.ts'
import { beginning, type Saying, sizeOf, within } from '../fit-list.ts'
import { type Part, RANK } from '../fit-to-limit.ts'

/** Of a summary, where there is hardly room for any. */
const LEAST = 100

const WAYS: readonly Saying<FixClaim>[] = [
  (claim, room) => {
    const { self_evaluation: own, file_modified } = claim
    return summed(
      {
        ...claim,
        file_modified: Array.isArray(file_modified) ? file_modified.slice(0, 20) : file_modified,
        self_evaluation: own && { ...own, risks: own.risks.slice(0, 3).map((risk) => beginning(risk, 200)) },
      },
      room,
    )
  },
  ({ issue_code, status, changes_summary }, room) => summed({ issue_code, status, changes_summary }, room),
]

function summed(claim: FixClaim, room: number): FixClaim {
  const left = room - sizeOf({ ...claim, changes_summary: '' })
  return { ...claim, changes_summary: beginning(claim.changes_summary, Math.max(left, LEAST)) }
}

export function claimsPart(claims: readonly FixClaim[]): Part {
  const to = (limit: number): Part => {
    const { shown, levels } = within(claims, limit, WAYS)
    const cut = claims.flatMap(({ issue_code }, index) => (levels[index] ? [issue_code] : []))
    const remark = `Of the claims for ${cut.join(', ')}, \`changes_summary\`, files and risks did not fit and are not all shown.`
    return { block: jsonBlock('claims', shown), remark: cut.length > 0 ? remark : undefined }
  }
  return { block: jsonBlock('claims', claims), gives: { rank: RANK.claims, to } }
}
