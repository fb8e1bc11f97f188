// `npm run bench`: what Fixwright adds to the CLIs it runs. In one run, on the same work and the same scripted model: a session,
// and a bare shell loop that makes the very same calls (the session's own prompts) and commits. Ratios count, not seconds:
// they are meant to be read on an otherwise idle machine. Prints a table and writes bench/result.json.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startModel } from '../rehearsal/model.ts'
import { makeTwelve } from '../rehearsal/twelve.ts'
import { runLoop } from './loop.ts'
import { type Bench, type LanesMeasured, type Measured, runLanes, runSession, type SessionMeasured } from './session.ts'

const { values } = parseArgs({
  options: {
    issues: { type: 'string', default: '12' },
    latencies: { type: 'string', default: '0,500,2000' },
    rounds: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
  },
})

interface Row {
  readonly latencyMs: number
  readonly session: Omit<SessionMeasured, 'calls'>
  readonly loop: Measured
  readonly calls: number
}

const rows: Row[] = []
for (let round = 1; round <= Number(values.rounds); round += 1) {
  for (const latencyMs of values.latencies.split(',').map(Number)) {
    const row = await compare(latencyMs, Number(values.issues))
    rows.push(row)
    process.stdout.write(`${describe(row, Number(values.issues))}\n`)
  }
}
const LANES_LATENCY_MS = 2000
const lanes = Number(values.lanes)
const beside = lanes > 1 ? [await compareLanes(Number(values.issues))] : []
for (const each of beside) process.stdout.write(`${describeLanes(each)}\n`)
writeFileSync(join(import.meta.dirname, 'result.json'), `${JSON.stringify([...rows, ...beside], null, 2)}\n`)

async function compare(latencyMs: number, issues: number): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-bench-'))
  const model = await startModel({ scenario: {}, latencyMs })
  try {
    const bench: Bench = { folder, model }
    const { calls, ...session } = await runSession(bench, issues)
    const { repository, scenario } = makeTwelve(join(folder, 'loop'), issues)
    model.setScenario(scenario)
    return { latencyMs, session, loop: await runLoop(bench, repository, calls), calls: calls.length }
  } finally {
    await model.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface LanesRow extends Omit<LanesMeasured, 'calls'> {
  readonly lanes: number
  readonly loop: Measured
  readonly shells: Measured
  readonly calls: number
}

/** The same work in one lane, in several, in a bare loop, and in as many shells at once as there are lanes. */
async function compareLanes(issues: number): Promise<LanesRow> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-bench-'))
  const model = await startModel({ scenario: {}, latencyMs: LANES_LATENCY_MS })
  try {
    const bench: Bench = { folder, model }
    const { calls, ...measured } = await runLanes(bench, issues, lanes)
    const runShells = async (shells: number) => {
      const { repository, scenario } = makeTwelve(join(folder, `bare-${shells}`), issues, { apart: true })
      model.setScenario(scenario)
      return await runLoop(bench, repository, calls, shells)
    }
    return { lanes, ...measured, loop: await runShells(1), shells: await runShells(lanes), calls: calls.length }
  } finally {
    await model.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** With the bounds that lanes are held to. */
function describeLanes({ one, many, loop, shells, calls, lanes: count }: LanesRow): string {
  const bounded = (a: number, b: number, most: number): string => `${(a / b).toFixed(3)} (bound ${most.toFixed(2)})`
  const perCall = Math.round((one.wallMs - loop.wallMs) / calls)
  return [
    `${count} lanes, model latency ${LANES_LATENCY_MS} ms, ${calls} CLI calls:`,
    `  wall     lanes ${seconds(many.wallMs)} · loop ${seconds(loop.wallMs)} · ratio ${bounded(many.wallMs, loop.wallMs, 0.4)}`,
    `           ${count} shells at once ${seconds(shells.wallMs)} · ratio ${bounded(many.wallMs, shells.wallMs, 1.15)}`,
    `  CPU      one lane ${seconds(one.cpuMs)} · lanes ${seconds(many.cpuMs)} · loop ${seconds(loop.cpuMs)} · ratio ${bounded(one.cpuMs, loop.cpuMs, 1.15)} with one lane, ${(many.cpuMs / loop.cpuMs).toFixed(3)} with ${count}`,
    `  one lane ${seconds(one.wallMs)}: ${perCall} ms more a call than the loop (bound 50)`,
  ].join('\n')
}

function describe({ latencyMs, session, loop, calls }: Row, issues: number): string {
  const ratio = (a: number, b: number): string => (a / b).toFixed(3)
  const perCall = Math.round((session.wallMs - loop.wallMs) / calls)
  const { events, bytes, largest } = session.history
  return [
    `model latency ${latencyMs} ms, ${issues} issues, ${calls} CLI calls:`,
    `  wall     session ${seconds(session.wallMs)} · loop ${seconds(loop.wallMs)} · ratio ${ratio(session.wallMs, loop.wallMs)} · ${perCall} ms more a call`,
    `  CPU      session ${seconds(session.cpuMs)} · loop ${seconds(loop.cpuMs)} · ratio ${ratio(session.cpuMs, loop.cpuMs)}`,
    `  start    command to first CLI process: cold ${session.coldMs} ms · warm ${session.warmMs} ms`,
    `  history  ${(events / issues).toFixed(1)} events and ${Math.round(bytes / issues)} bytes an issue, largest payload ${largest} bytes`,
  ].join('\n')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
