// One session of many findings. While its last call of the fixer is held, the machine is at rest and the session is as long as it gets:
// then people ask.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTwelve } from '../../rehearsal/twelve.ts'
import { type Bench, historyOf } from '../session.ts'
import { each, type Figures, untilFixing, whole, withHome } from './home-under-load.ts'

export async function measureFindings(
  bench: Bench,
  count: number,
  { perCall, lanes }: { readonly perCall: number; readonly lanes: string },
): Promise<Figures> {
  const made = makeTwelve(join(bench.folder, 'repository'), count, { apart: true })
  const file = join(bench.folder, 'findings.json')
  writeFileSync(file, JSON.stringify(made.findings))
  return await withHome(bench, async ({ home, store, start, time, begin }) => {
    // The frontend comes last.
    const last = made.findings.issues.findLast(({ file: path }) => path.startsWith('web/'))?.issue_code ?? ''
    const faults = [{ match: { role: 'fixer', code: last }, fault: { kind: 'hold' } } as const]
    bench.model.setScenario({ ...made.scenario, faults })
    const measured = begin()
    const from = Date.now()
    const limits = [`limits.max_issues_per_cli_call=${perCall}`, 'limits.max_workload_points_per_batch=100000']
    const args = ['fix', file, '--repo', made.repository, '--json', '--yes', '--lanes', lanes]
    const fix = start([...args, ...limits.flatMap((limit) => ['--set', limit])])
    await untilFixing(bench.model)
    const startMs = Date.now() - from
    await untilFixing(bench.model, last)
    const [session] = await store.sessions.list()
    const sessionId = session?.session_id ?? ''
    const asked = { ...time('status while it runs', ['status', sessionId]), ...time('list while it runs', ['list']) }
    bench.model.release()
    const { stdout, peakMb } = await fix.ended
    const result = JSON.parse(stdout) as { readonly issues_fixed: number }
    if (result.issues_fixed !== count) throw new Error(`only ${result.issues_fixed} of ${count} findings were fixed`)
    const history = await historyOf(home, sessionId)
    const events = await store.events.listAll(sessionId)
    return {
      'session, held call apart': each((Date.now() - from) / 1000, 's'),
      'command to the first request of the fixer': whole(startMs, 'ms'),
      ...asked,
      ...time('status when it is over', ['status', sessionId]),
      ...time('report', ['report', sessionId]),
      'memory of the command at its most': whole(peakMb, 'MB'),
      ...measured(),
      'events of the session': each(events.length, ''),
      'history in Temporal': each(history.length, 'events'),
      'history in Temporal, its size': each(JSON.stringify(history).length / 1024, 'KB'),
    }
  })
}
