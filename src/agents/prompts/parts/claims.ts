// What the fixer says about its own work, issue by issue. Where that is too much, its words and the files it names are cut.
import type { FixClaim } from '../../../domain/stage/agent-replies.ts'
import { jsonBlock } from '../data-block.ts'
import { cutJsonText, type FitLevel, fitList, measureEntry } from '../fit-list.ts'
import { type PromptPart, SHRINK_ORDER } from '../fit-to-limit.ts'

/** Of a summary, where there is hardly room for any. */
const MIN_SUMMARY = 100

const LEVELS: readonly FitLevel<FixClaim>[] = [
  (claim, room) => {
    const { self_evaluation: own, file_modified } = claim
    return cutSummary(
      {
        ...claim,
        file_modified: Array.isArray(file_modified) ? file_modified.slice(0, 20) : file_modified,
        self_evaluation: own && { ...own, risks: own.risks.slice(0, 3).map((risk) => cutJsonText(risk, 200)) },
      },
      room,
    )
  },
  ({ issue_code, status, changes_summary }, room) => cutSummary({ issue_code, status, changes_summary }, room),
]

function cutSummary(claim: FixClaim, room: number): FixClaim {
  const left = room - measureEntry({ ...claim, changes_summary: '' })
  return { ...claim, changes_summary: cutJsonText(claim.changes_summary, Math.max(left, MIN_SUMMARY)) }
}

export function claimsPart(claims: readonly FixClaim[]): PromptPart {
  const to = (limit: number): PromptPart => {
    const { shown, levels } = fitList(claims, limit, LEVELS)
    const cut = claims.flatMap(({ issue_code }, index) => (levels[index] ? [issue_code] : []))
    const remark = `Of the claims for ${cut.join(', ')}, \`changes_summary\`, files and risks did not fit and are not all shown.`
    return { block: jsonBlock('claims', shown), remark: cut.length > 0 ? remark : undefined }
  }
  return { block: jsonBlock('claims', claims), shrinker: { rank: SHRINK_ORDER.claims, shrinkTo: to } }
}
