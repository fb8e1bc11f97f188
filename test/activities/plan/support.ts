// Activities that talk to the real Claude CLI, which talks to the scripted model: one conversation from the first question to the
// last fix, looked at from both sides, in what the model was sent and in what Fixwright has on record.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promptOf, type RecordedCall } from '../../../rehearsal/calls.ts'
import { cliPaths, rehearsalEnvironment } from '../../../rehearsal/environment.ts'
import { type ScriptedModel, startModel } from '../../../rehearsal/model.ts'
import { readDataBlocks } from '../../../rehearsal/prompt.ts'
import type { ScenarioInput } from '../../../rehearsal/scenario.ts'
import type { AnsweredQuestion, ClarificationQuestion } from '../../../src/domain/people/validate-messages.ts'
import type { Batch } from '../../../src/domain/plan/plan.ts'
import type { EventType, SessionEvent } from '../../../src/domain/session/events/index.ts'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { FixInput, OpenedSession } from '../../../src/domain/workflow-types/index.ts'
import { type Bench, DEFAULTS, setBench } from '../support.ts'

export interface TalkBench extends Bench {
  readonly model: ScriptedModel
  /** HOME of the CLI: its conversations lie below it. */
  readonly user: string
  /** The ids of three sessions that no other test has: whoever closes a session ends every process that names it. */
  readonly ids: readonly [string, string, string]
  /** A session that was opened, with these settings besides those that ask everybody everything. */
  opened(id: string, files: Readonly<Record<string, string>>, settings?: Partial<Settings>): Promise<OpenedSession>
  /** The first request of each call whose prompt names that role. */
  asked(role: string): RecordedCall[]
  events<Type extends EventType = EventType>(id: string, type?: Type): Promise<Extract<SessionEvent, { type: Type }>[]>
  artifact(id: string, kind: 'prompt' | 'todo', name: string): Promise<string>
}

export const ASKING = {
  people: { ...DEFAULTS.people, clarify: true, approve_plan: true },
} as const satisfies Partial<Settings>

export async function setTalk(t: TestContext, scenario: ScenarioInput): Promise<TalkBench> {
  const user = mkdtempSync(join(tmpdir(), 'fixwright-user-'))
  t.after(() => rmSync(user, { recursive: true, force: true, maxRetries: 5 }))
  const own = randomUUID().slice(0, 8)
  const model = await startModel({ scenario })
  t.after(() => model.close())
  const bench = await setBench(t, rehearsalEnvironment({ url: model.url, home: user, attempts: 2 }))
  return {
    ...bench,
    model,
    user,
    ids: [`s1-${own}`, `s2-${own}`, `s3-${own}`],
    async opened(id, files, settings = {}) {
      await bench.session(id, files, { ...ASKING, ...settings })
      return await bench.run('openSession', { sessionId: id })
    },
    asked: (role) => model.calls().filter((call) => call.role === role && call.step === 0),
    async events(id, type) {
      const all = await bench.store.events.listAfter(id)
      return all.filter((event): event is never => type === undefined || event.type === type)
    },
    async artifact(id, kind, name) {
      const [kept] = await bench.store.artifacts.listForSession(id, { kind, name })
      assert.ok(kept, `${id} has no ${kind} ${name}`)
      return await bench.shop.artifacts.getText(kept.ref)
    },
  }
}

/** What a call's prompt holds, block by block. */
export function blocksOf(call: RecordedCall | undefined): Map<string, string> {
  assert.ok(call, 'the call was made')
  return blocksIn(promptOf(call) ?? '')
}

export function blocksIn(prompt: string): Map<string, string> {
  return readDataBlocks(prompt)
}

/** All that a request carries of its conversation. */
export function sentIn(call: RecordedCall | undefined): string {
  assert.ok(call, 'the call was made')
  return JSON.stringify(call.body)
}

export function answer(question: ClarificationQuestion | undefined, words: string, by = 'Ada'): AnsweredQuestion {
  assert.ok(question, 'there is a question')
  return { ...question, answer: words, by, from: 'terminal', at: Date.parse('2026-11-18T12:00:00Z') }
}

export function batchOf(codes: readonly string[], more: Partial<Batch> = {}): Batch {
  return { kind: 'backend', label: 'BE 1/1', workload: 3, steps: [codes], ...more }
}

export function fixInput(
  id: string,
  opened: OpenedSession,
  codes: readonly string[],
  more: Partial<FixInput> = {},
): FixInput {
  const { base: head, brief } = opened
  const first = { stepId: 's1.i1.b1.fix', stage: 1, iteration: 1, start: [], feedbackStepIds: [], brief }
  return { sessionId: id, head, codes, batch: batchOf(codes), ...first, ...more }
}

/** The CLI, behind something that happens in its working directory first. */
export function claudeAfter(bench: TalkBench, line: string): Pick<Settings, 'claude' | 'sandbox'> {
  const command = join(bench.home, 'claude-after')
  writeFileSync(command, `#!/bin/sh\n${line}\nexec ${cliPaths().claude} "$@"\n`, { mode: 0o755 })
  // What it saw it writes down where a sandbox would not let it.
  return { claude: { ...DEFAULTS.claude, command }, sandbox: { ...DEFAULTS.sandbox, mode: 'off' } }
}
