// The agents as they ship, on the real CLIs: their prompts arrive whole, their schemas and tools are taken, their replies are read.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type AgentName, buildSubAgents, loadAgentDefinitions } from '../../../src/agents/definitions.ts'
import { renderChallengerPrompt } from '../../../src/agents/prompts/challenger.ts'
import { renderClarifierPrompt, renderPlannerPrompt } from '../../../src/agents/prompts/clarifier-and-planner.ts'
import { renderFixerPrompt, renderSubAgentPrompt } from '../../../src/agents/prompts/fixer.ts'
import { renderBranchPrompt, renderCommitterPrompt } from '../../../src/agents/prompts/repair-and-naming.ts'
import { replyJsonSchema } from '../../../src/agents/replies/reply-format.ts'
import { validateReply } from '../../../src/agents/replies/validate-reply.ts'
import type { Issue } from '../../../src/domain/issue/issue.ts'
import { answerOf, setStage, setStageFor } from '../support.ts'

const agents = loadAgentDefinitions(join(import.meta.dirname, '../../../agents'))
const issue: Issue = {
  issue_id: 'i',
  issue_code: 'A',
  title: 'Broken sum',
  description: 'adds one too many',
  file: 'a.py',
  severity: 'low',
}
const frame = { blockId: '00ff00ff00ff00ff', stepId: 's1.b1.i1.fix', iteration: 1, issues: [issue] }

function shipped(role: AgentName) {
  const { reply, disallowed_tools } = agents.loadAgent(role)
  return { schema: replyJsonSchema(reply), tools: { disallowed: disallowed_tools } }
}

describe('the cast', { concurrency: 2 }, () => {
  test('the fixer edits, runs commands but no git, and its reply is one that we read [S0-1, S2-11, S2-36]', async (t) => {
    const steps = [
      { tool: 'bash' as const, command: 'echo ran > bash-ran' },
      { tool: 'bash' as const, command: 'git init plain' },
      { tool: 'bash' as const, command: 'true && git init chained' },
      { tool: 'bash' as const, command: 'X=1 git init prefixed' },
      { tool: 'edit' as const, file: 'a.py', old: 'x + 1', new: 'x' },
    ]
    const { call, work, model } = await setStage(t, { issues: { A: { fixes: [{ steps }] } } })
    await writeFile(join(work, 'a.py'), 'y = x + 1\n')
    const prompt = renderFixerPrompt(agents, { ...frame, kind: 'backend', steps: [['A']] })
    const more = {
      prompt,
      subagents: buildSubAgents(agents, renderSubAgentPrompt(agents, { blockId: frame.blockId, kind: 'backend' })),
      ...shipped('fixer'),
    }
    const { text, structured } = answerOf(await call('claude', more))
    const parsed = validateReply('fix', { text, structured })
    assert.equal(parsed.kind === 'valid' && parsed.value.results[0]?.status, 'fixed')
    assert.equal(await readFile(join(work, 'a.py'), 'utf8'), 'y = x\n')
    assert.ok(existsSync(join(work, 'bash-ran')))
    for (const folder of ['plain', 'chained', 'prefixed'])
      assert.ok(!existsSync(join(work, folder)), `git init ${folder} ran`)
    const sent = JSON.stringify(model.calls()[0]?.body)
    assert.ok(sent.includes(JSON.stringify(prompt.trim()).slice(1, -1)), 'the prompt is not whole')
    assert.ok(sent.includes('fixer-single: Fixes exactly one issue'))
  })

  test('the clarifier and the planner read and search, and can neither write nor run anything; their replies are read [S2-2, S2-3]', async (t) => {
    const scenario = { clarify: [{ questions: [{ issue_code: 'A', question: 'Strict?' }] }] }
    const { call, model } = await setStage(t, scenario)
    const clarify = {
      prompt: renderClarifierPrompt(agents, { ...frame, earlierQuestions: [] }),
      ...shipped('clarifier'),
    }
    const asked = validateReply('clarify', answerOf(await call('claude', clarify)))
    assert.equal(asked.kind === 'valid' && asked.value.questions[0]?.question, 'Strict?')
    assert.equal(asked.kind === 'valid' && asked.value.ready_to_fix, false)
    const plan = {
      prompt: renderPlannerPrompt(agents, { ...frame, steps: [['A']], clarifications: [] }),
      ...shipped('planner'),
    }
    const planned = validateReply('plan', answerOf(await call('claude', plan)))
    assert.deepEqual(planned.kind === 'valid' && planned.value.execution_steps, [['A']])
    for (const { body } of model.calls()) {
      const names = (body as { tools: { name: string }[] }).tools.map(({ name }) => name)
      for (const tool of ['Read', 'Grep', 'Glob', 'StructuredOutput']) assert.ok(names.includes(tool), tool)
      for (const tool of ['Edit', 'Write', 'NotebookEdit', 'Bash', 'Agent']) assert.ok(!names.includes(tool), tool)
    }
  })

  test('a clarifier that tries to change something all the same changes nothing [S2-2]', async (t) => {
    const { call, work } = await setStageFor(t, ({ turn }) => {
      const input = { file_path: 'a.txt', content: 'x', command: 'touch b.txt', prompt: 'p', description: 'd' }
      const tools = ['Write', 'Edit', 'Bash', 'Agent'].map((name) => ({ name, input }))
      return turn === 0 ? { tools } : { text: '{"ready_to_fix":true}' }
    })
    const { tools } = shipped('clarifier')
    answerOf(await call('claude', { prompt: renderClarifierPrompt(agents, { ...frame, earlierQuestions: [] }), tools }))
    assert.deepEqual(await readdir(work), [])
  })

  test('a fixer hands its issues on by the master todo file, a step at a time, and reports all of it [S1-3, S1-4, S1-5, S2-8, S2-9, S2-11, S2-16]', async (t) => {
    const codes = ['A', 'B', 'C']
    const file = (code: string) => `${code === 'C' ? 'a' : code.toLowerCase()}.py`
    const issues = codes.map((code) => ({ ...issue, issue_code: code, file: file(code) }))
    const bash = (command: string) => ({ tool: 'bash' as const, command })
    const fixes = (code: string) => [{ steps: [bash(`echo ${code} >> done`), bash(`git init made-by-${code}`)] }]
    const held = { fault: { kind: 'hold' as const } }
    const { call, work, folder, model } = await setStage(t, {
      issues: Object.fromEntries(codes.map((code) => [code, { fixes: fixes(code) }])),
      faults: ['A', 'B'].map((code) => ({ match: { role: 'fixer_single', code, at: 'first' as const }, ...held })),
    })
    const todo = { folder: join(folder, 'fix_session_1'), master: join(folder, 'fix_session_1', 'master_todo.json') }
    const steps = [['A', 'B'], ['C']]
    const pathOf = (code: string) => join(todo.folder, `fix_todo_${code}.json`)
    await mkdir(todo.folder)
    for (const each of issues) await writeFile(pathOf(each.issue_code), JSON.stringify({ issue: each }))
    const execution_steps = steps.map((step) => ({ issues: step.map((code) => ({ code, todo: pathOf(code) })) }))
    await writeFile(todo.master, JSON.stringify({ execution_steps }))

    const prompt = renderFixerPrompt(agents, { ...frame, issues, kind: 'both', steps, todo })
    const subagents = buildSubAgents(agents, renderSubAgentPrompt(agents, { blockId: frame.blockId, kind: 'both' }))
    const more = { subagents, readableFolders: [todo.folder], models: ['opus'] }
    const running = call('claude', { prompt, ...more, ...shipped('fixer') })
    // Neither of the first step gets an answer before both have asked.
    for (const code of ['A', 'B']) await model.waitFor({ role: 'fixer_single', code })
    assert.ok(!model.calls().some((each) => each.role === 'fixer_single' && each.codes.includes('C')))
    model.release()
    const parsed = validateReply('fix', answerOf(await running))
    assert.deepEqual(
      parsed.kind === 'valid' && parsed.value.results.map(({ issue_code, status }) => [issue_code, status]),
      codes.map((code) => [code, 'fixed']),
    )
    const order = model.calls().filter(({ role }) => role === 'fixer_single')
    const firstOfC = order.findIndex((each) => each.codes.includes('C'))
    assert.ok(
      order.slice(firstOfC).every((each) => each.codes.includes('C')),
      'the step before was over',
    )
    assert.deepEqual((await readFile(join(work, 'done'), 'utf8')).trim().split('\n').sort(), codes)
    assert.deepEqual(await readdir(work), ['done'], 'no sub-agent could use git')
    const told = JSON.stringify(order[0]?.body)
    assert.ok(told.includes('You fix one issue'), 'a sub-agent is the one that our file describes')
  })

  test('the challenger gets the diff as it is, and its reply is one that we read [S2-12, S2-13]', async (t) => {
    const { call, model } = await setStage(t, { issues: { A: { proof: [{ file: 'a.py', removes: 'x \\+ 1' }] } } })
    const diff = 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@ @app.get("/")\n-y = x + 1\n+y = x\n'
    const prompt = renderChallengerPrompt(agents, { ...frame, diff, claims: [], solvedThreshold: 90, whole: true })
    const { text } = answerOf(await call('gemini', { prompt }))
    const parsed = validateReply('challenge', { text })
    assert.equal(parsed.kind === 'valid' && parsed.value.issues.A?.score, 97)
    assert.equal(parsed.kind === 'valid' && parsed.value.whole?.score, 97)
    assert.ok(JSON.stringify(model.calls().map(({ body }) => body)).includes(JSON.stringify(diff.trim()).slice(1, -1)))
  })

  test('the small agents answer with a name and with subjects, under their own schemas [S2-15, S1-15]', async (t) => {
    const { call } = await setStage(t, { branch: 'fix/broken-sum', subjects: { A: 'Add no more than asked' } })
    const branch = answerOf(
      await call('claude', { prompt: renderBranchPrompt(agents, frame), ...shipped('git-branch-creator') }),
    )
    assert.deepEqual(validateReply('branch', branch), {
      kind: 'valid',
      value: { branch: 'fix/broken-sum' },
      notes: [],
    })
    const prompt = renderCommitterPrompt(agents, { ...frame, commits: [['A']], diff: '+x' })
    const commit = validateReply('commit', answerOf(await call('claude', { prompt, ...shipped('git-committer') })))
    assert.deepEqual(commit.kind === 'valid' && commit.value.subjects, { A: 'Add no more than asked' })
  })
})
