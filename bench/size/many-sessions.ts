// Sessions at once, of one finding each, in one repository. While the fixer's first calls are held, the machine is at rest and all
// sessions are open: then people ask.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeTwelve } from '../../rehearsal/twelve.ts'
import type { Bench } from '../session.ts'
import { each, type Figures, untilFixing, whole, withHome } from './home-under-load.ts'

const POLL_MS = 100

export async function measureSessions(bench: Bench, count: number): Promise<Figures> {
  const made = makeTwelve(join(bench.folder, 'repository'), count, { apart: true })
  return await withHome(bench, async ({ store, start, time, begin }) => {
    bench.model.setScenario({ ...made.scenario, faults: [{ match: { role: 'fixer' }, fault: { kind: 'hold' } }] })
    const measured = begin()
    const from = Date.now()
    const fixes = made.findings.issues.map((issue) => {
      const file = join(bench.folder, `${issue.issue_code}.json`)
      writeFileSync(file, JSON.stringify({ issues: [issue] }))
      return start(['fix', file, '--repo', made.repository, '--json'])
    })
    await untilFixing(bench.model)
    const firstMs = Date.now() - from
    const areOpen = async () =>
      (await store.sessions.list()).filter(({ branch_name: branch }) => branch).length === count
    while (!(await areOpen())) await delay(POLL_MS)
    const startedMs = Date.now() - from
    const newest = (await store.sessions.list())[0]?.session_id ?? ''
    const asked = {
      ...time('status of one, while all run', ['status', newest]),
      ...time('list, while all run', ['list']),
    }
    const releasedAt = Date.now()
    bench.model.release()
    const results = await Promise.all(fixes.map(({ ended }) => ended))
    const endedMs = Date.now() - releasedAt
    return {
      'commands to the first request of the fixer': whole(firstMs, 'ms'),
      'commands to open sessions': each(startedMs / 1000, 's'),
      'from there to the end of all': each(endedMs / 1000, 's'),
      ...asked,
      ...time('status of one, when all are over', ['status', newest]),
      ...time('list, when all are over', ['list']),
      'memory of a command at its most': whole(Math.max(...results.map(({ peakMb }) => peakMb)), 'MB'),
      ...measured(),
    }
  })
}
