// Shows what `fix` would do; nothing is started, asked, run or changed. Checks that refuse a session refuse here, too.
import type { DryRun } from '../../domain/session/dry-run.ts'
import { checkStart } from '../../preflight/check-start.ts'
import type { StartInput } from '../../preflight/start/start-input.ts'
import { type Environment, locateHome } from '../../runtime/home/home.ts'
import { openStoreCopy } from '../../store/open-store.ts'

export async function dryRun(input: StartInput, env: Environment): Promise<DryRun> {
  const home = locateHome(env)
  const store = await openStoreCopy(home.database)
  try {
    const checked = await checkStart({ home, env, store }, input)
    if (checked.kind === 'refused') return checked
    const { notice } = checked.kind === 'ready' ? checked.prepared : checked
    const nothingPlanned = (reason: string): DryRun => {
      const whole = notice === undefined ? reason : `${notice}; ${reason}`
      return { kind: 'nothing', nothing: { dry_run: true, skipped: true, reason: whole } }
    }
    if (checked.kind === 'idle') return nothingPlanned(`nothing to do: ${checked.reason}`)
    if (checked.kind === 'answered') {
      const { session_id } = checked.result
      return nothingPlanned(`session ${session_id} did this work less than an hour ago, and its answer would be given`)
    }
    const { prepared, atWork } = checked
    if (atWork) {
      const look = `fixwright logs ${atWork.session_id} --prompts`
      return nothingPlanned(
        `session ${atWork.session_id} is at this work, and would be joined: "${look}" shows what it was told`,
      )
    }
    const { planDryRun } = await import('./plan-dry-run.ts')
    return { kind: 'planned', plan: await planDryRun({ home, env, store }, prepared) }
  } finally {
    await store.close()
  }
}
