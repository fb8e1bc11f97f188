// What is written down without having gone through a prompt or an answer, and what an earlier version stored as it was.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type AgentRequest, callAgent } from '../../src/activities/agent-call/call-agent.ts'
import { appendEvents } from '../../src/activities/append-events.ts'
import { loadSession } from '../../src/activities/context.ts'
import { logByProductsIgnored } from '../../src/domain/session/events/logs/verification-logs.ts'
import { logLine } from '../domain/session/events/made-events.ts'
import { OF_THE_DETECTOR } from '../platform/masking/tokens.ts'
import { finding } from '../store/support.ts'
import { insertIssues } from '../support/store.ts'
import { fixInput } from './plan/support.ts'
import { S1, setBench } from './support.ts'

const TOKEN = OF_THE_DETECTOR.github ?? ''
const OWN = 'the-operators-own-words'

test('an event, what people say and why an issue failed hold no secret [S4-17]', async (t) => {
  const bench = await setBench(t, { DEPLOY_TOKEN: OWN })
  await bench.session(S1, { F1: 'a.txt' })
  await appendEvents(bench.shop, S1, [logLine('one', `it says ${TOKEN}`), logByProductsIgnored('two', [OWN])])
  const decided = { by: 'me', from: 'here', at: 1 }
  await bench.run('recordMessages', {
    sessionId: S1,
    messages: [{ key: 'two', name: 'cancel', outcome: 'refused', response: `no ${TOKEN}`, ...decided }],
  })
  await bench.run('closeSession', {
    sessionId: S1,
    outcomes: { F1: { status: 'failed', reason: `the check printed ${TOKEN}`, iterations: 1 } },
    ending: { class: 'infrastructure', detail: `it died of ${OWN}` },
    at: 2,
  })
  const [events, record, issues] = await Promise.all([
    bench.store.events.listAfter(S1),
    bench.store.sessions.get(S1),
    bench.store.sessions.listIssues(S1),
  ])
  const all = JSON.stringify([events, record, issues])
  assert.ok(!all.includes(TOKEN) && !all.includes(OWN), all)
  assert.deepEqual(events[0]?.message.replace(/\w{4}»/, '»'), 'it says «secret:github:»')
  assert.match(record?.result?.results[0]?.error ?? '', /«secret:(github|env-deploy-token):\w{4}»/)
})

test('neither an agent is sent a secret nor is one in its answer passed on, also when the answer is looked up again [S4-17]', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { F1: 'a.txt' })
  const session = await loadSession(bench.shop, S1)
  const sent: string[] = []
  const question: AgentRequest = {
    key: 'q',
    role: 'fixer',
    about: 'F1',
    codes: ['F1'],
    prompt: `it says ${TOKEN}`,
    deadlineMs: 1000,
    run: async ({ scratch }, { prompt }) => {
      sent.push(prompt)
      const stdoutFile = join(scratch, 'stdout')
      writeFileSync(stdoutFile, `${TOKEN}\n`)
      const record = { model: 'm', modelsTried: [], durationMs: 1, notes: [], stdoutFile, stderrFile: stdoutFile }
      return { kind: 'answered', text: JSON.stringify({ words: `so\n${TOKEN}` }), report: record }
    },
  }
  const beat = { signal: new AbortController().signal, reportProgress: () => undefined }
  const first = await callAgent(bench.shop, session, question, beat)
  const again = await callAgent(bench.shop, session, question, beat)
  assert.deepEqual(again, { ...first })
  assert.ok(first.kind === 'answered')
  assert.match(JSON.parse(first.text).words, /^so\n«secret:github:\w{4}»$/)
  assert.match(sent.join(), /^it says «secret:github:\w{4}»\n«secret:kind:hash» in this prompt stands for/)
  for (const { ref } of await bench.store.artifacts.listForSession(S1))
    assert.ok(!(await bench.shop.artifacts.getText(ref)).includes(TOKEN))
})

test('nor is one sent where the conversation is gone and the whole context is asked afresh [S4-17]', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { F1: 'a.txt' })
  const sent: string[] = []
  const question: AgentRequest = {
    ...{ key: 'q', role: 're_fixer', about: 'F1', codes: ['F1'], resume: { id: 'gone' } },
    prompt: 'go on',
    deadlineMs: 1000,
    buildFullPrompt: async () => `all of it: ${TOKEN}`,
    run: async ({ scratch }, { prompt }) => {
      sent.push(prompt)
      const stdoutFile = join(scratch, 'stdout')
      writeFileSync(stdoutFile, '')
      const record = { model: 'm', modelsTried: [], durationMs: 1, notes: [], stdoutFile, stderrFile: stdoutFile }
      if (sent.length > 1) return { kind: 'answered', text: 'done', report: record }
      const failure = { class: 'no_usable_work', reason: 'crash', detail: 'no such conversation' } as const
      return { kind: 'failed', failure, conversationGone: true, report: record }
    },
  }
  const beat = { signal: new AbortController().signal, reportProgress: () => undefined }
  await callAgent(bench.shop, await loadSession(bench.shop, S1), question, beat)
  assert.match(sent.join(), /^go on,all of it: «secret:github:\w{4}»\n/)
  const [kept] = await bench.store.artifacts.listForSession(S1, { kind: 'prompt', name: 'q' })
  assert.ok(!(await bench.shop.artifacts.getText(kept?.ref ?? '')).includes(TOKEN))
})

test('nor does the beginning of a long line hold half of one, which may silence a check; and a mark hides no such line [S4-17]', async (t) => {
  const bench = await setBench(t, { DEPLOY_TOKEN: OWN })
  await bench.session(S1, { A: 'src/app.py' })
  const opened = await bench.run('openSession', { sessionId: S1 })
  const across = (secret: string) => `${'x = f('.padEnd(188, 'a')}, "${secret}")  # noqa: S106`
  const key = OF_THE_DETECTOR.privatekey?.replaceAll('\n', '  # nosec\n') ?? ''
  const lines = [across(TOKEN), across(OWN), 'y = 1  # authorization: token nosec-because-of-that', key]
  await bench.fixed(S1, 's1.i1.b1.fix', { 'src/app.py': `${lines.join('\n')}\n` }, 'A')
  await bench.run('fixBatch', fixInput(S1, opened, ['A']))
  const told = (await bench.store.events.listAfter(S1)).find((event) => event.type === 'fix_checks_silenced')
  const silenced = told?.data.silenced ?? []
  assert.deepEqual(
    silenced.map(({ line, kind }) => [line, kind]),
    [1, 2, 3, 4, 5, 6, 7].map((line) => [line, 'suppression']),
  )
  assert.match(silenced[0]?.text ?? '', /^x = f\(a{182}, "«secret:g?/)
  assert.match(silenced[2]?.text ?? '', /^y = 1 {2}# authorization: token «secret:authorization:\w{4}»$/)
  const [kept] = await bench.store.artifacts.listForSession(S1, { kind: 'verdict', name: 's1.i1.b1.fix' })
  const all = JSON.stringify(silenced) + (await bench.shop.artifacts.getText(kept?.ref ?? ''))
  for (const secret of [TOKEN, OWN, ...key.split('\n').slice(1, -1)]) assert.ok(!all.includes(secret.slice(0, 8)), all)
})

test('nor does a commit say one, also of an issue that an earlier version stored as it was [S4-17]', async (t) => {
  const bench = await setBench(t)
  await bench.session(S1, { A: 'src/app.py' })
  const titled = finding('A', { file: 'src/app.py', title: `Take ${TOKEN} out` })
  await insertIssues(bench.store, bench.repository, S1, [titled])
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const tree = await bench.fixed(S1, 'fix1', { 'src/app.py': 'x = 1\n' }, 'A')
  const picks = [{ snapshot: 'fix1', codes: ['A'] }]
  const work = { sessionId: S1, stepId: 's1.commit', head: base, selections: picks, codes: ['A'], iteration: 1, tree }
  const outcome = await bench.run('commitStage', { ...work, verified: 'unverified', at: Date.now(), iterations: {} })
  assert.ok(outcome.kind === 'committed')
  assert.match(bench.git(['log', '-1', '--format=%B', outcome.sha]), /^fix: take «secret:github:\w{4}» out/)
})
