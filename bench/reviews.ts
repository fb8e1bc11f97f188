// `npm run bench:reviews`: what reviews add to the CLIs they run, and what they say twice. In one run, with the real CLIs and the scripted
// model: `review-pr` beside each CLI alone with the prompt of its vote; `review-fix` beside a bare loop of the very same calls; and a review
// of planted issues, with five pushes after it. Ratios count, not seconds: they are meant to be read on an otherwise idle machine.
// Prints what it finds, and fails where a bound is broken.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parseArgs } from 'node:util'
import type { RecordedCall } from '../rehearsal/calls.ts'
import { prepareGeminiFolder } from '../src/agents/gemini/working-folder.ts'
import { findLiveInstance } from '../src/runtime/instance/instance-file.ts'
import { KILLED } from '../test/support/kill-reviews.ts'
import { DUPLICATES, PLANTED } from '../test/support/planted.ts'
import { listDuplicates, reviewPlanted, reviewPushes, setPlantedStage } from '../test/support/planted-reviews.ts'
import { EXPERTS } from '../test/support/review.ts'
import { type E2eStage, gitAt } from '../test/support/session.ts'
import { endSharedTemporal, temporaryFolder } from '../test/support/temporal.ts'
import { until } from '../test/support/until.ts'
import { runScript } from './loop.ts'
import { type RecordedCommand, readRecordedCommands, setRecorders, toShellLine } from './recorded-calls.ts'

const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    pushes: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true, default: ['review-pr', 'review-fix', 'planted'] },
  },
})

/** On the stages on which the tests kill the worker. */
type Command = keyof typeof KILLED
const MOST = { 'review-pr': 1.1, 'review-fix': 1.05 } as const satisfies Record<Command, number>
const LATENCY_MS = Number(values.latency)
const ROLES = [
  ...['review_lead', 'review_verifier', 'fixer', 'fix_challenger', 'voter_claude', 'voter_gemini'],
  ...EXPERTS.map((name) => `reviewer_${name}`),
]

try {
  for (const command of Object.keys(MOST) as Command[]) if (values.only.includes(command)) await compare(command)
  if (values.only.includes('planted')) await countRepeats()
} finally {
  await endSharedTemporal()
}

async function compare(command: Command): Promise<void> {
  const { path: folder, remove } = temporaryFolder('recorded')
  try {
    const recorded = await onStage(KILLED[command].set, (stage) => recordCommands(stage, command, folder))
    await compareWith(command, recorded)
  } finally {
    remove()
  }
}

async function compareWith(command: Command, recorded: readonly RecordedCommand[]): Promise<void> {
  const said = recorded.map(({ cli }) => cli).join(', ')
  process.stdout.write(`${command}, model latency ${LATENCY_MS} ms, ${recorded.length} CLI calls (${said}):\n`)
  const ratios: number[] = []
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    await onStage(KILLED[command].set, async (stage) => {
      const { sessionMs, commandMs, requests } = await measureSession(stage, command)
      const before = stage.model.calls().length
      const { bareMs, bare } = await measureBare(stage, command, recorded)
      assert.deepEqual(listRequests(stage.model.calls().slice(before)), requests, 'both sides did the same')
      ratios.push(sessionMs / bareMs)
      process.stdout.write(
        `  session ${seconds(sessionMs)} · ${bare} · ratio ${ratios.at(-1)?.toFixed(3)} · ` +
          `with the command's own start and end ${seconds(commandMs)}, ${(commandMs / bareMs).toFixed(3)}\n`,
      )
    })
  }
  const ratio = median(ratios)
  report(`${command}: median ratio ${ratio.toFixed(3)} (bound ${MOST[command].toFixed(2)})`, ratio <= MOST[command])
}

/** In a sandbox they could write nothing down. */
async function recordCommands(stage: E2eStage, command: Command, folder: string): Promise<RecordedCommand[]> {
  const more = { PATH: `${setRecorders(folder)}:${stage.environment.PATH}` }
  const args = [...KILLED[command].args, '--set', 'sandbox.mode=off']
  const { status, stderr } = await stage.commandWith(more, command, '--repo', stage.repository, ...args).ended
  if (status !== KILLED[command].status) throw new Error(`${command} ended with ${status}:\n${stderr}`)
  return readRecordedCommands(folder)
}

/** On an instance that is up, and has had a session of votes before. */
async function measureSession(
  stage: E2eStage,
  command: Command,
): Promise<{ readonly sessionMs: number; readonly commandMs: number; readonly requests: readonly string[] }> {
  const up = stage.command('up')
  await until('an instance is up', () => findLiveInstance(stage.home) !== undefined)
  await stage.command('review-pr', '--repo', stage.repository, '--base', 'main', '--head', 'feature').ended
  const before = new Set((await stage.sessions()).map(({ session_id }) => session_id))
  const asked = stage.model.calls().length
  setLatency(stage, command)
  const started = performance.now()
  const { status, stderr } = await stage.command(command, '--repo', stage.repository, ...KILLED[command].args).ended
  const commandMs = performance.now() - started
  if (status !== KILLED[command].status) throw new Error(`${command} ended with ${status}:\n${stderr}`)
  const session = (await stage.sessions()).find(({ session_id }) => !before.has(session_id))
  up.child.kill('SIGINT')
  await up.ended
  await stage.quiet()
  return {
    sessionMs: Date.parse(session?.ended_at ?? '') - Date.parse(session?.started_at ?? ''),
    commandMs,
    requests: listRequests(stage.model.calls().slice(asked)),
  }
}

/** Without those of the CLIs' own, as for the name of a conversation. */
function listRequests(calls: readonly RecordedCall[]): string[] {
  return calls.flatMap(({ role, step, reply }) => (role === 'auxiliary' ? [] : `${role} ${step} ${reply}`)).sort()
}

function setLatency(stage: E2eStage, command: Command): void {
  stage.model.setScenario({
    ...KILLED[command].scenario,
    latencyMs: Object.fromEntries(ROLES.map((role) => [role, LATENCY_MS])),
  })
}

/** Votes: each CLI alone, of which the slower one counts. Else all calls, one after the other, and a commit after the challenge. */
async function measureBare(
  stage: E2eStage,
  command: Command,
  calls: readonly RecordedCommand[],
): Promise<{ readonly bareMs: number; readonly bare: string }> {
  const folder = join(stage.folder, 'bare')
  const tree = join(folder, 'tree')
  gitAt(stage.folder, ['clone', '-q', '--branch', 'feature', stage.repository, tree])
  const lines: string[][] = []
  for (const [index, call] of calls.entries()) {
    const input = join(folder, `${index}.txt`)
    const reads = call.args.includes('--include-directories')
    const empty = join(folder, `empty-${index}`)
    if (call.cli === 'gemini') await prepareGeminiFolder(empty, { models: [], maxAttempts: 2, reads })
    lines.push([
      `cd '${call.cli === 'gemini' ? empty : tree}'`,
      toShellLine(call, { input, tree }),
      ...(call.cli === 'gemini' && !reads ? [`cd '${tree}'`, 'git add -A', `git commit -qm 'call ${index}'`] : []),
    ])
  }
  setLatency(stage, command)
  const run = async (script: readonly string[]) =>
    (await runScript(folder, ['set -e', ...script], stage.environment)).wallMs
  if (command === 'review-fix') {
    const bareMs = await run(lines.flat())
    return { bareMs, bare: `loop ${seconds(bareMs)}` }
  }
  const alone: number[] = []
  for (const own of lines) alone.push(await run(own))
  const bare = alone.map((ms, index) => `${calls[index]?.cli} alone ${seconds(ms)}`).join(' · ')
  return { bareMs: Math.max(...alone), bare }
}

/** Findings that are said twice after the merge, and dismissed findings that come back over pushes. */
async function countRepeats(): Promise<void> {
  await onStage(setPlantedStage, async (stage) => {
    const first = await reviewPlanted(stage)
    const { dismissed, raised, duplicates } = await reviewPushes(stage, first, Number(values.pushes))
    const again = `${values.pushes} pushes`
    const left = listDuplicates(first).length
    report(
      `${PLANTED.length} planted issues, ${DUPLICATES.length} of them reported twice: duplicate rate after merge ${rate(left, DUPLICATES.length)}, ` +
        `and ${duplicates.length} duplicates over ${again} (bound 0)`,
      left + duplicates.length === 0,
    )
    report(
      `${dismissed} dismissed findings, reported again with each of ${again}: re-raise rate ${rate(raised.length, dismissed * Number(values.pushes))} (bound 0)`,
      dismissed > 0 && raised.length === 0,
    )
  })
}

/** A stage is set for a test: what it wants to be done after that is done here. */
async function onStage<T>(
  set: (t: TestContext) => Promise<E2eStage>,
  use: (stage: E2eStage) => Promise<T>,
): Promise<T> {
  const after: (() => Promise<void>)[] = []
  const context = { passed: true, after: (close: () => Promise<void>) => void after.push(close) }
  try {
    return await use(await set(context as unknown as TestContext))
  } catch (error) {
    context.passed = false
    throw error
  } finally {
    for (const close of after) await close()
  }
}

function report(text: string, isGood: boolean): void {
  process.stdout.write(`${isGood ? '✔' : '✗'} ${text}\n`)
  if (!isGood) process.exitCode = 1
}

function rate(count: number, of: number): string {
  return `${(count / of).toFixed(3)} (${count} of ${of})`
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
