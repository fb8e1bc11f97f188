// `fixwright leftovers SESSION`: what a session left undone, and the issue that would be created from each. It starts nothing, but to
// create them.
import type { AppContext } from '../../../app/context.ts'
import { listLeftovers } from '../../../app/list-leftovers.ts'
import { resolveSession } from '../../session/resolve-session.ts'
import { withApp } from '../../session/with-app.ts'
import { print, printJson } from '../../terminal/console.ts'
import { formatLeftovers } from '../../terminal/format-leftovers.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'
import { createAndPrintIssues } from '../forge/create-issues.ts'

export interface LeftoversOptions {
  readonly json: boolean
  readonly create: boolean
  readonly labels: readonly string[]
  readonly remote: string | undefined
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runLeftoversCommand(
  typed: string | undefined,
  { json, create, labels, remote, flags }: LeftoversOptions,
): Promise<number> {
  const use = async (app: AppContext): Promise<number> => {
    const session = await resolveSession(app, typed)
    if (create) return await createAndPrintIssues(app, session, { json, labels, remote })
    const found = listLeftovers(session)
    if (json) printJson(found)
    else for (const line of formatLeftovers(found)) print(sanitizeLine(line))
    return 0
  }
  return withApp(use, { flags })
}
