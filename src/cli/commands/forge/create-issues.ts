// `fixwright leftovers SESSION --create`, and the end of `review-fix --create-issues`: issues of what a session left undone.
import type { AppContext } from '../../../app/context.ts'
import { createSessionIssues, type LeftoverIssuesOptions } from '../../../app/forge/create-session-issues.ts'
import type { SessionRecord } from '../../../domain/session/session.ts'
import { NOT_READY } from '../../exit-codes.ts'
import { print, printJson, printNotice } from '../../terminal/console.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'

interface CreatedIssuesOptions {
  readonly json: boolean
  /** Standard output has a document already. */
  readonly besides?: boolean
}

export async function createAndPrintIssues(
  app: AppContext,
  session: SessionRecord,
  { json, besides = false, ...options }: LeftoverIssuesOptions & CreatedIssuesOptions,
): Promise<number> {
  const summary = await createSessionIssues(app, session, options)
  const { created, found, failed, duplicates } = summary
  if (json) printJson(summary)
  else {
    const printLine = (line: string) => (besides ? printNotice : print)(sanitizeLine(line))
    for (const { key, url, missingLabels } of created) {
      const without = missingLabels.length === 0 ? '' : ` (without the label ${missingLabels.join(', ')})`
      printLine(`created for ${key}${without}: ${url}`)
    }
    for (const { key, url, state } of found) printLine(`there before for ${key}, ${state}: ${url}`)
    for (const number of duplicates) printLine(`closed #${number}, a second issue of the same finding`)
    for (const { key, code, detail } of failed) printLine(`failed for ${key} (${code}): ${detail}`)
  }
  return failed.length === 0 ? 0 : NOT_READY
}
