// Renders the fixer's claims on its own work. If they are too long, their summaries and file lists are cut.
import type { FixClaim } from '../../../domain/stage/reply-schemas.ts'
import { cutField, cutJsonText, type FitLevel, listPart } from '../fit-list.ts'
import { type PromptPart, SHRINK_ORDER } from '../render-prompt.ts'

/** The least of a summary that is shown when there is hardly any room. */
const MIN_SUMMARY = 100

const LEVELS: readonly FitLevel<FixClaim>[] = [
  ({ self_evaluation: own, file_modified, ...claim }, room) => {
    const files = Array.isArray(file_modified) ? file_modified.slice(0, 20) : file_modified
    const risks = own?.risks.slice(0, 3).map((risk) => cutJsonText(risk, 200)) ?? []
    const short = { ...claim, file_modified: files, self_evaluation: own && { ...own, risks } }
    return cutField(short, 'changes_summary', room, MIN_SUMMARY)
  },
  ({ issue_code, status, changes_summary }, room) => {
    const bare = { issue_code, status, changes_summary: cutJsonText(changes_summary, MIN_SUMMARY) }
    return cutField({ ...bare, changes_summary }, 'changes_summary', room, MIN_SUMMARY) ?? bare
  },
]

export function claimsPart(claims: readonly FixClaim[]): PromptPart {
  return listPart('claims', claims, Number.POSITIVE_INFINITY, {
    levels: LEVELS,
    rank: SHRINK_ORDER.claims,
    describeCuts: (cut) =>
      `Of the claims for ${cut().join(', ')}, \`changes_summary\`, files and risks did not fit and are not all shown.`,
  })
}
