// `fixwright pr`: the pull request of a session.
import { openSessionPull, type PulledSession, type PullOptions } from '../../../app/forge/open-pull.ts'
import { findSession } from '../../../app/session/find-sessions.ts'
import { withApp } from '../../session/with-app.ts'
import { print, printJson } from '../../terminal/console.ts'

export interface PrOptions extends PullOptions {
  readonly json: boolean
  readonly flags: Readonly<Record<string, unknown>>
}

export async function runPrCommand(typed: string, { json, flags, ...options }: PrOptions): Promise<number> {
  return await withApp(
    async (app) => {
      const opened = await openSessionPull(app, await findSession(app, typed), options)
      if (json) printJson(opened)
      else print(describe(opened))
      return 0
    },
    { flags },
  )
}

function describe(opened: PulledSession): string {
  const { branch, commit, forge } = opened.pushed
  if (opened.kind === 'pushed')
    return `pushed ${branch} (${commit.slice(0, 12)}) to ${forge}, which has git and no pull requests`
  const { number, url, state, isOurs } = opened.pull
  if (!isOurs)
    return `pushed ${branch}; somebody opened its pull request #${number} before, which stays as it is: ${url}`
  if (opened.isNew) return `opened pull request #${number}: ${url}`
  return `pull request #${number} is there, ${state}: ${url}`
}
