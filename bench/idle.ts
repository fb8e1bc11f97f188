// `npm run bench:idle`: what Fixwright itself costs while a model thinks: the CPU of the command that follows, the instance and Temporal's
// server, as a part of one core. The agents' own processes are left out.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startModel } from '../rehearsal/model.ts'
import { makeTwelve } from '../rehearsal/twelve.ts'
import { openHome } from '../src/runtime/home/home.ts'
import { findLiveInstance } from '../src/runtime/instance/instance-file.ts'
import { findRunningServers } from '../src/runtime/temporal-server/running-servers.ts'
import { environmentOf } from './session.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, lanes: { type: 'string', default: '1' } },
})
/** After the first request has reached the model: code that loads once is not idling. */
const SETTLING_MS = 10_000
const MOST_PERCENT = 2
const TICKS_PER_SECOND = 100

const folder = mkdtempSync(join(tmpdir(), 'fixwright-idle-'))
const model = await startModel({ scenario: {} })
const env = environmentOf({ folder, model })
const made = makeTwelve(join(folder, 'repository'), 6, { apart: true })
const findings = join(folder, 'findings.json')
writeFileSync(findings, JSON.stringify(made.findings))
model.setScenario({ ...made.scenario, faults: [{ match: { role: 'fixer' }, fault: { kind: 'hold' } }] })
const fixwright = join(import.meta.dirname, '..', 'bin', 'fixwright')
const more = ['--lanes', values.lanes, '--set', 'limits.max_issues_per_cli_call=1']
const child = spawn(fixwright, ['fix', findings, '--repo', made.repository, ...more], { env, stdio: 'ignore' })
try {
  await model.waitFor({ role: 'fixer' })
  await delay(SETTLING_MS)
  const home = openHome(env)
  const pids = {
    command: child.pid ?? 0,
    instance: findLiveInstance(home)?.identity.pid ?? 0,
    Temporal: findRunningServers(home.temporalDatabase)[0]?.identity.pid ?? 0,
  }
  const read = () => Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSeconds(pid)]))
  const before = read()
  const started = performance.now()
  await delay(Number(values.seconds) * 1000)
  const seconds = (performance.now() - started) / 1000
  const after = read()
  const percents = Object.keys(pids).map((name) => [name, (100 * (after[name]! - before[name]!)) / seconds] as const)
  const sum = percents.reduce((all, [, percent]) => all + percent, 0)
  const parts = percents.map(([name, percent]) => `${name} ${percent.toFixed(2)}`).join(' · ')
  process.stdout.write(
    `${values.lanes} lane(s), ${seconds.toFixed(0)} s of a model's thinking: ${parts} · together ${sum.toFixed(2)} % of a core (bound ${MOST_PERCENT})\n`,
  )
} finally {
  model.release()
  child.kill('SIGINT')
  await once(child, 'exit')
  await model.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
