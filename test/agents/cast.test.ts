// The agents as they ship, on the real CLIs: their prompts arrive whole, their schemas and tools are taken, their replies are read.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type AgentName, openAgents, subAgents } from '../../src/agents/definitions.ts'
import { branchPrompt, challengerPrompt, committerPrompt, fixerPrompt } from '../../src/agents/prompt.ts'
import { parseReply } from '../../src/agents/reply.ts'
import { replyJsonSchema } from '../../src/agents/reply-format.ts'
import type { Issue } from '../../src/domain/issue.ts'
import { answerOf, setStage } from './support.ts'

const agents = openAgents(join(import.meta.dirname, '../../agents'))
const issue: Issue = {
  issue_id: 'i',
  issue_code: 'A',
  title: 'Broken sum',
  description: 'adds one too many',
  file: 'a.py',
  severity: 'low',
}
const frame = { blockId: '00ff00ff00ff00ff', call: 's1.b1.i1.fix', iteration: 1, issues: [issue] }

function shipped(role: AgentName) {
  const { reply, disallowed_tools } = agents.loadAgent(role)
  return { schema: replyJsonSchema(reply), tools: { disallowed: disallowed_tools } }
}

describe('the cast', { concurrency: 2 }, () => {
  test('S0-1 S2-11 S2-36 the fixer edits, runs commands but no git, and its reply is one that we read', async (t) => {
    const steps = [
      { tool: 'bash' as const, command: 'echo ran > bash-ran' },
      { tool: 'bash' as const, command: 'git init plain' },
      { tool: 'bash' as const, command: 'true && git init chained' },
      { tool: 'bash' as const, command: 'X=1 git init prefixed' },
      { tool: 'edit' as const, file: 'a.py', old: 'x + 1', new: 'x' },
    ]
    const { call, work, model } = await setStage(t, { issues: { A: { fixes: [{ steps }] } } })
    await writeFile(join(work, 'a.py'), 'y = x + 1\n')
    const prompt = fixerPrompt(agents, { ...frame, kind: 'backend', steps: [['A']] })
    const more = { prompt, subagents: subAgents(agents, 'backend'), ...shipped('fixer') }
    const { text, structured } = answerOf(await call('claude', more))
    const parsed = parseReply('fix', { text, structured })
    assert.equal(parsed.kind === 'parsed' && parsed.value.results[0]?.status, 'fixed')
    assert.equal(await readFile(join(work, 'a.py'), 'utf8'), 'y = x\n')
    assert.ok(existsSync(join(work, 'bash-ran')))
    for (const folder of ['plain', 'chained', 'prefixed'])
      assert.ok(!existsSync(join(work, folder)), `git init ${folder} ran`)
    const sent = JSON.stringify(model.calls()[0]?.body)
    assert.ok(sent.includes(JSON.stringify(prompt.trim()).slice(1, -1)), 'the prompt is not whole')
    assert.ok(sent.includes('fixer-single: Fixes exactly one issue'))
  })

  test('S2-12 S2-13 the challenger gets the diff as it is, and its reply is one that we read', async (t) => {
    const { call, model } = await setStage(t, { issues: { A: { proof: [{ file: 'a.py', removes: 'x \\+ 1' }] } } })
    const diff = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@ @app.get("/")\n-y = x + 1\n+y = x\n'
    const prompt = challengerPrompt(agents, { ...frame, diff, claims: [], whole: true })
    const { text } = answerOf(await call('gemini', { prompt }))
    const parsed = parseReply('challenge', { text })
    assert.equal(parsed.kind === 'parsed' && parsed.value.issues.A?.score, 97)
    assert.equal(parsed.kind === 'parsed' && parsed.value.whole?.score, 97)
    assert.ok(JSON.stringify(model.calls().map(({ body }) => body)).includes(JSON.stringify(diff.trim()).slice(1, -1)))
  })

  test('S2-15 S1-15 the small agents answer with a name and a message, under their own schemas', async (t) => {
    const { call } = await setStage(t, { branch: 'fix/broken-sum', message: 'Add no more than asked\n\nA: it did' })
    const branch = answerOf(
      await call('claude', { prompt: branchPrompt(agents, frame), ...shipped('git-branch-creator') }),
    )
    assert.deepEqual(parseReply('branch', branch), { kind: 'parsed', value: { branch: 'fix/broken-sum' }, notes: [] })
    const prompt = committerPrompt(agents, { ...frame, diff: '+x' })
    const commit = parseReply('commit', answerOf(await call('claude', { prompt, ...shipped('git-committer') })))
    assert.equal(commit.kind === 'parsed' && commit.value.message, 'Add no more than asked\n\nA: it did')
  })
})
