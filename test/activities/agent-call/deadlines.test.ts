// The settings' timeouts as the deadlines of real CLIs: each call has its own, whatever calls before it took.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixInput, setTalk, type TalkBench } from '../plan/support.ts'
import { DEFAULTS } from '../support.ts'

const FILES = { A: 'src/app.py' }
const QUIET = { people: DEFAULTS.people }
const SCENARIO = {
  issues: {
    A: { fixes: [{ steps: [{ tool: 'edit' as const, file: 'src/app.py', old: 'return 1', new: 'return 2' }] }] },
  },
}

async function failures(bench: TalkBench, id: string): Promise<[key: string, detail: string | undefined][]> {
  const ended = await bench.events(id, 'fix_call_completed')
  return ended.map(({ data, message }) => [data.call, /no answer within .*/.exec(message ?? '')?.[0]])
}

describe('deadlines', { concurrency: 2 }, () => {
  test('a fixer has claude.timeout_seconds [S2-27, S2-34]', async (t) => {
    const bench = await setTalk(t, { ...SCENARIO, faults: [{ match: { role: 'fixer' }, fault: { kind: 'hang' } }] })
    const [id] = bench.ids
    const opened = await bench.opened(id, FILES, { ...QUIET, claude: { ...DEFAULTS.claude, timeout_seconds: 3 } })
    const { failure } = await bench.run('fixBatch', fixInput(id, opened, ['A']))
    assert.deepEqual(failure, { class: 'no_usable_work', reason: 'timeout', detail: 'no answer within 3 s' })
    assert.deepEqual(await failures(bench, id), [['s1.i1.b1.fix', 'no answer within 3 s']])
  })

  test('a challenger has gemini.timeout_seconds, and its second go the whole of it again [S2-27, C18]', async (t) => {
    const hang = { match: { role: 'fix_challenger', nth: 1 }, fault: { kind: 'hang' as const } }
    const bench = await setTalk(t, { ...SCENARIO, faults: [hang] })
    const [id] = bench.ids
    const opened = await bench.opened(id, FILES, { ...QUIET, gemini: { ...DEFAULTS.gemini, timeout_seconds: 20 } })
    const { work } = await bench.run('fixBatch', fixInput(id, opened, ['A']))
    const outcome = await bench.run('challengeTree', {
      sessionId: id,
      stepId: 's1.i1.challenge',
      head: opened.base,
      selections: [{ snapshot: work.snapshot, codes: ['A'] }],
      codes: ['A'],
      iteration: 1,
      earlierStepIds: [],
    })
    assert.deepEqual(outcome.unchallenged, [])
    assert.deepEqual((await failures(bench, id)).slice(1), [
      ['s1.i1.challenge', 'no answer within 20 s'],
      ['s1.i1.challenge.fresh', undefined],
    ])
  })

  test('who names the branch has claude.small_timeout_seconds; then the rules name it', async (t) => {
    const hang = { match: { role: 'git-branch-creator' }, fault: { kind: 'hang' as const } }
    const bench = await setTalk(t, { faults: [hang] })
    const [id] = bench.ids
    const opened = await bench.opened(id, FILES, {
      ...QUIET,
      git: { ...DEFAULTS.git, naming: 'agent' },
      claude: { ...DEFAULTS.claude, small_timeout_seconds: 2 },
    })
    const named = await bench.run('nameBranch', { sessionId: id })
    assert.deepEqual([named.branch, opened.branch], ['fix/one-title', 'fix/one-title'])
    assert.deepEqual(await failures(bench, id), [['branch', 'no answer within 2 s']])
  })
})
