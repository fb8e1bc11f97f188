// A fixer's call by hand: what it left is made in the tree of its session, its reply is on record as after a death of the worker, and everything
// else is real.
import type { TestContext } from 'node:test'
import type { Settings } from '../../../src/domain/settings/schema.ts'
import type { FixInput, FixOutcome } from '../../../src/domain/workflow-types/index.ts'
import { resetWorkTree } from '../../../src/platform/git/workspace/snapshot-and-reset.ts'
import { type Bench, setBench } from '../support.ts'

const FILES = { A: 'src/a.ts', B: 'src/b.ts' }
export const CODES = Object.keys(FILES)

/** Code → what it says it changed. */
type Claims = Readonly<Record<string, readonly string[]>>

export interface CallBench extends Bench {
  /** A session whose calls these are from then on; one has begun. */
  begin(id: string): Promise<void>
  /** The input of a call of the fixer that did this. */
  left(
    stepId: string,
    more: (tree: string) => unknown,
    claims?: Claims,
    /** Code → what the reply calls it, where that is not `fixed`. */
    statuses?: Readonly<Record<string, string>>,
  ): Promise<FixInput>
  /** A call of the fixer that changed A's and B's file, and did this besides. */
  fix(...call: Parameters<CallBench['left']>): Promise<FixOutcome['work']>
}

export async function setCallBench(t: TestContext, settings: Partial<Settings> = {}): Promise<CallBench> {
  const bench = await setBench(t)
  bench.write({ 'src/a.ts': 'a\n', 'src/b.ts': 'b\n', 'docs/d.md': 'd\n', '.gitignore': 'out\n' })
  bench.git(['add', '.'])
  bench.git(['commit', '-q', '-m', 'files'])
  let sessionId = ''
  async function begin(id: string): Promise<void> {
    sessionId = id
    await bench.session(id, FILES, settings)
    await bench.run('openSession', { sessionId: id })
  }
  await begin('s1')
  return {
    ...bench,
    begin,
    left,
    fix: async (...done) => (await bench.run('fixBatch', await left(...done))).work,
  }
  async function left(...[stepId, more, claims = {}, statuses = {}]: Parameters<CallBench['left']>): Promise<FixInput> {
    const workspace = bench.workspace(sessionId)
    await resetWorkTree(workspace, workspace.base)
    bench.write({ 'src/a.ts': 'A\n', 'src/b.ts': 'B\n' }, workspace.tree)
    await more(workspace.tree)
    const results = CODES.map((code) => ({
      issue_code: code,
      status: statuses[code] ?? 'fixed',
      file_modified: claims[code] ?? [],
    }))
    const { ref } = await bench.shop.artifacts.put(JSON.stringify({ results }))
    const { call } = await bench.store.agentCalls.claim({
      session_id: sessionId,
      key: stepId,
      role: 'fixer',
      codes: [],
    })
    await bench.store.agentCalls.finish(call, { reply_ref: ref })
    const batch = { kind: 'backend', label: 'BE 1/1', workload: 9, steps: [CODES] } as const
    return {
      sessionId,
      stepId,
      head: workspace.base,
      stage: 1,
      batch,
      iteration: 1,
      codes: CODES,
      start: [],
      feedbackStepIds: [],
    }
  }
}
