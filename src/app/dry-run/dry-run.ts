// What `fix` would do with this input, and no more than that: nothing is started, asked, run or changed. What would refuse a session
// refuses here, too.
import type { DryRun } from '../../domain/session/dry-run.ts'
import { prepareSession, type StartInput } from '../../preflight/prepare-session.ts'
import { findReusableResult, nothingToDoReason } from '../../preflight/reuse-session.ts'
import type { Environment } from '../../runtime/home/home.ts'
import { openStore } from '../../store/open-store.ts'
import { withShadowHome } from './shadow-home.ts'

export async function dryRun(input: StartInput, env: Environment): Promise<DryRun> {
  return await withShadowHome(env, async (shadow) => {
    const store = await openStore(shadow.home.database)
    try {
      const prepared = await prepareSession(input, shadow.home, env, store)
      if (prepared.kind === 'refused') return prepared
      const { session, findings, settings, obstacle } = prepared
      const idle = nothingToDoReason(findings, settings)
      if (idle !== undefined) return nothingPlanned(`nothing to do: ${idle}`)
      const answered = await findReusableResult(store, session)
      if (answered)
        return nothingPlanned(
          `session ${answered.session_id} did this work less than an hour ago, and its answer would be given`,
        )
      const [atWork] = await store.sessions.list({ key: session.key, running: true, limit: 1 })
      if (atWork) {
        const look = `fixwright logs ${atWork.session_id} --prompts`
        return nothingPlanned(
          `session ${atWork.session_id} is at this work, and would be joined: "${look}" shows what it was told`,
        )
      }
      if (obstacle) return obstacle
      const { planDryRun } = await import('./plan.ts')
      return { kind: 'planned', plan: await planDryRun({ prepared, shadow, store, env }) }
    } finally {
      await store.close()
    }
  })
}

function nothingPlanned(reason: string): DryRun {
  return { kind: 'nothing', nothing: { dry_run: true, skipped: true, reason } }
}
