// `fixwright leftovers SESSION --create`, and the end of `review-fix --create-issues`: issues of what a session left undone.
import type { AppContext } from '../../../app/context.ts'
import { createSessionIssues, type LeftoverIssuesOptions } from '../../../app/forge/create-leftover-issues.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import { NOT_READY } from '../../exit-codes.ts'
import { print, printJson } from '../../terminal/console.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'

export async function createAndPrintIssues(
  app: AppContext,
  session: SessionRecord,
  { json, ...options }: LeftoverIssuesOptions & { readonly json: boolean },
): Promise<number> {
  const summary = await createSessionIssues(app, session, options)
  const { created, found, failed, duplicates } = summary
  if (json) printJson(summary)
  else {
    for (const { key, url, missingLabels } of created) {
      const without = missingLabels.length === 0 ? '' : ` (without the label ${missingLabels.join(', ')})`
      print(sanitizeLine(`created for ${key}${without}: ${url}`))
    }
    for (const { key, url, state } of found) print(sanitizeLine(`there before for ${key}, ${state}: ${url}`))
    for (const number of duplicates) print(`closed #${number}, a second issue of the same finding`)
    for (const { key, code, detail } of failed) print(sanitizeLine(`failed for ${key} (${code}): ${detail}`))
  }
  return failed.length === 0 ? 0 : NOT_READY
}
