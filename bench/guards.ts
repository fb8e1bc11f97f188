// `npm run bench:guards`: what verification, masking and fencing add to an issue, without the time of the operator's own commands.
// Real sessions with commands that do next to nothing: the verification is read from their history, from scheduled to completed, so Temporal's part is
// in it; taken off is what the same command needs in a bare shell. Masking and fencing are then done again on all that the session wrote.
// Gap: a call's own waiting for the challenger hides part of it in a person's wall time; this counts all of it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startModel } from '../rehearsal/model.ts'
import { chooseBlockId, renderBlock, textBlock } from '../src/agents/prompts/render-prompt.ts'
import { openArtifactStore } from '../src/artifacts/open-artifact-store.ts'
import { createMasking } from '../src/platform/masking/mask-secrets.ts'
import { environmentOf, type HistoryEvent, historyOf, onInstance, type Running } from './session.ts'

const { values } = parseArgs({
  options: { issues: { type: 'string', default: '12' }, rounds: { type: 'string', default: '3' } },
})
const issues = Number(values.issues)
const MOST_MS = 50
/** What leaves nothing behind is verified once, in a fresh checkout; what does, in the session's tree first. */
const WAYS = [
  { how: 'at once', command: 'true' },
  { how: 'twice', command: 'touch made' },
]

const folder = mkdtempSync(join(tmpdir(), 'fixwright-guards-'))
const model = await startModel({ scenario: {} })
const bench = { folder, model }
try {
  await onInstance(bench, async (at) => {
    for (const { how, command } of WAYS) {
      const sums: number[] = []
      for (let round = 1; round <= Number(values.rounds); round += 1) {
        const { sessionId } = await at.fix(`${how}-${round}`, issues, ['--verify', command])
        const checks = verifications(await historyOf(at.home, sessionId))
        const verification = (checks.reduce((sum, ms) => sum + ms, 0) - bareMs(command) * checks.length) / issues
        const { masking, fencing, characters } = await again(at, sessionId)
        sums.push(verification + masking + fencing)
        process.stdout.write(
          `${how}: ${issues} issues, ${checks.length} verifications, ${characters} characters: verification ${verification.toFixed(1)} · ` +
            `masking ${masking.toFixed(1)} · fencing ${fencing.toFixed(2)} · together ${sums.at(-1)?.toFixed(1)} ms an issue\n`,
        )
      }
      process.stdout.write(`${how}: median ${median(sums).toFixed(1)} ms an issue (bound ${MOST_MS})\n`)
    }
  })
} finally {
  await model.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** How long each activity of the gate took, from the workflow's wish to its answer. */
function verifications(history: readonly HistoryEvent[]): number[] {
  const scheduled = new Map<string, number>()
  const took: number[] = []
  for (const event of history) {
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name
    if (name?.startsWith('verify')) scheduled.set(`${event.eventId}`, milliseconds(event))
    const begun = scheduled.get(`${event.activityTaskCompletedEventAttributes?.scheduledEventId}`)
    if (begun !== undefined) took.push(milliseconds(event) - begun)
  }
  return took
}

function milliseconds({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + Number(eventTime?.nanos ?? 0) / 1e6
}

function bareMs(command: string): number {
  return median(
    Array.from({ length: 15 }, () => timed(() => execFileSync('/bin/sh', ['-c', command], { cwd: folder }))),
  )
}

/** The same masking as the session did, and a fence around every text that it kept, an issue. */
async function again({ home, store }: Running, sessionId: string) {
  const artifacts = openArtifactStore(home.artifacts)
  const kept = await store.artifacts.listForSession(sessionId)
  const texts = await Promise.all(kept.map(async ({ ref }) => await artifacts.getText(ref)))
  const events = await store.events.listAll(sessionId)
  const masking = createMasking(environmentOf(bench))
  const started = performance.now()
  for (const text of texts) await masking.maskText(text)
  for (const event of events) await masking.maskValues(event)
  const maskingMs = performance.now() - started
  const fencingMs = timed(() => {
    const blocks = texts.map((text, index) => textBlock(`b${index}`, text))
    const id = chooseBlockId('0123456789abcdef01234567', blocks)
    for (const block of blocks) renderBlock(block, id)
  })
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  return { masking: maskingMs / issues, fencing: fencingMs / issues, characters }
}

function timed(act: () => void): number {
  const started = performance.now()
  act()
  return performance.now() - started
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
}
