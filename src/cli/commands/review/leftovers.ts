// `fixwright leftovers SESSION`: what a session left undone, and the issue that would be created from each. It starts nothing.
import { listLeftovers } from '../../../app/leftovers/list-leftovers.ts'
import { resolveSession } from '../../session/resolve-session.ts'
import { withApp } from '../../session/with-app.ts'
import { print, printJson } from '../../terminal/console.ts'
import { formatLeftovers } from '../../terminal/format-leftovers.ts'
import { sanitizeLine } from '../../terminal/sanitize.ts'

export async function runLeftoversCommand(
  typed: string | undefined,
  { json }: { readonly json: boolean },
): Promise<number> {
  return withApp(async (app) => {
    const found = listLeftovers(await resolveSession(app, typed))
    if (json) printJson(found)
    else for (const line of formatLeftovers(found)) print(sanitizeLine(line))
    return 0
  })
}
