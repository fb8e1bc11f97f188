// The agent files as they ship, and what a broken one says.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type AgentName, buildSubAgents, loadAgentDefinitions } from '../../src/agents/definitions.ts'
import { renderSubAgentPrompt } from '../../src/agents/prompts/fixer.ts'
import { REPLY_FORMATS } from '../../src/agents/replies/reply-format.ts'

const FOLDER = join(import.meta.dirname, '../../agents')
const agents = loadAgentDefinitions(FOLDER)
const ROLES: readonly AgentName[] = [
  'clarifier',
  'planner',
  'fixer',
  'fixer_single',
  're_fixer',
  'fix_challenger',
  'git-branch-creator',
  'git-committer',
]

const scratch = mkdtempSync(join(tmpdir(), 'fixwright-agents-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

function folderWith(file: string, content: string): string {
  const folder = mkdtempSync(join(scratch, 'agents-'))
  writeFileSync(join(folder, file), content)
  return folder
}

test('every file in agents/ loads, and the eleven of this flow are there [S0-23, S1-16]', () => {
  const files = readdirSync(FOLDER).map((file) => file.replace(/\.md$/, ''))
  assert.deepEqual([...agents.names], files.sort())
  for (const name of [...ROLES, 'dev_be', 'dev_fe', 'engineering_principles', 'fixing', 'delegating'])
    assert.ok(agents.names.includes(name), name)
  for (const role of ROLES) assert.ok(agents.loadAgent(role).instructions.length > 200, role)
})

test('Opus asks, plans and fixes, Haiku names branches and commits, Gemini Flash challenges [S1-15, S2-1, S2-2, C6]', () => {
  const cast = Object.fromEntries(ROLES.map((role) => [role, agents.loadAgent(role)]))
  for (const role of ['clarifier', 'planner', 'fixer', 'fixer_single', 're_fixer']) {
    assert.deepEqual([cast[role]?.cli, cast[role]?.model], ['claude', 'opus'], role)
  }
  for (const role of ['git-branch-creator', 'git-committer']) {
    assert.deepEqual([cast[role]?.cli, cast[role]?.model], ['claude', 'haiku'], role)
  }
  assert.deepEqual([cast.fix_challenger?.cli, cast.fix_challenger?.model], ['gemini', 'flash'])
})

test('who changes or judges code always thinks: 20000 tokens for Claude, 10000 for the challenger [S0-22, S0-24]', () => {
  for (const role of ['clarifier', 'planner', 'fixer', 'fixer_single', 're_fixer'] as const) {
    assert.equal(agents.loadAgent(role).thinking_budget, 20_000, role)
  }
  assert.equal(agents.loadAgent('fix_challenger').thinking_budget, 10_000)
})

test('each agent answers with the schema of its job [S2-16]', () => {
  const replies = ROLES.map((role) => agents.loadAgent(role).reply)
  assert.deepEqual(replies, ['clarify', 'plan', 'fix', 'claim', 'fix', 'challenge', 'branch', 'commit'])
})

test('no agent that edits may use git, and those that only judge or name have no tools at all [S2-11]', () => {
  for (const role of ['fixer', 'fixer_single', 're_fixer'] as const) {
    const { disallowed_tools, tools } = agents.loadAgent(role)
    assert.ok(disallowed_tools.includes('Bash(git:*)'), role)
    assert.ok(tools.includes('Edit'), role)
  }
  assert.match(agents.loadGuideline('fixing'), /Never[\s\S]*- use git in any form/)
  for (const role of ['fix_challenger', 'git-branch-creator', 'git-committer'] as const) {
    assert.deepEqual(agents.loadAgent(role).tools, [], role)
  }
})

test('who asks and plans only reads: nothing that edits, runs commands, or hands on [S2-2]', () => {
  for (const role of ['clarifier', 'planner'] as const) {
    const { tools, disallowed_tools } = agents.loadAgent(role)
    assert.deepEqual(tools, ['Read', 'Grep', 'Glob'], role)
    for (const tool of ['Edit', 'Write', 'NotebookEdit', 'Bash', 'Agent'])
      assert.ok(disallowed_tools.includes(tool), tool)
  }
})

test('the clarifier is told what its reply means: each field, the ids, and when it is ready [S2-3, S2-4]', () => {
  const { instructions } = agents.loadAgent('clarifier')
  for (const word of ['ready_to_fix', 'has_questions', 'issue_code', 'context', 'CODE-q1', 'general-q1', 'skipped'])
    assert.ok(instructions.includes(word), word)
})

test('the planner is told what belongs to the plan of an issue, and whose order holds [S1-9, S1-11]', () => {
  const { instructions } = agents.loadAgent('planner')
  const parts = [
    'snippets',
    'related_files',
    'existing_patterns',
    'approach',
    'steps',
    'verification',
    'execution_steps',
  ]
  for (const part of parts) assert.ok(instructions.includes(part), part)
  assert.match(instructions, /Our rules have the last word/)
})

test('who hands issues on does it by the steps of the master todo file, all of a step in one message [S1-3, S1-4, S1-5, S2-8]', () => {
  const text = agents.loadGuideline('delegating').replace(/\s+/g, ' ')
  for (const word of [
    '`todo`',
    '`master`',
    '`execution_steps`',
    'fixer-single',
    'ALL OF THEM IN ONE MESSAGE',
    '`serial`',
  ])
    assert.ok(text.includes(word), word)
  assert.match(text, /Wait for all of a step before the next/)
  assert.match(text, /a step of one issue too/i)
  assert.match(text, /more than 20.* in messages of 20/)
  assert.match(text, /reports together into your one reply/)
  assert.match(agents.loadAgent('fixer_single').instructions, /fix_todo_CODE\.json`\): read that first/)
})

test('only the agents of a whole batch may hand issues to sub-agents, and fixer-single is handed over with its guidelines [S1-17]', () => {
  assert.ok(agents.loadAgent('fixer').tools.includes('Agent'))
  assert.ok(agents.loadAgent('re_fixer').tools.includes('Agent'))
  assert.ok(!agents.loadAgent('fixer_single').tools.includes('Agent'))
  const told = (kind: 'frontend' | 'both') => renderSubAgentPrompt(agents, { blockId: '0'.repeat(16), kind })
  const { 'fixer-single': single } = buildSubAgents(agents, told('frontend'))
  assert.equal(single?.model, 'inherit', 'it has the model that the settings gave the call')
  assert.ok(single?.prompt.includes(agents.loadGuideline('dev_fe')))
  assert.ok(single?.prompt.includes(agents.loadGuideline('engineering_principles')))
  assert.ok(!single?.prompt.includes(agents.loadGuideline('dev_be')))
  for (const name of ['dev_be', 'dev_fe'] as const) assert.ok(told('both').includes(agents.loadGuideline(name)), name)
  const frameworks = ['fastapi', 'react'] as const
  const using = renderSubAgentPrompt(agents, { blockId: '0'.repeat(16), kind: 'backend', frameworks })
  assert.deepEqual(using.match(/^### .+/gm), ['### FastAPI'])
})

test('fixer-single is told the fields it gets and the form it answers in [S2-9, S2-10]', () => {
  const { instructions } = agents.loadAgent('fixer_single')
  for (const word of ['code', 'file', 'title', 'description', 'suggested fix'])
    assert.ok(instructions.includes(word), word)
  const told = renderSubAgentPrompt(agents, { blockId: '0'.repeat(16), kind: 'backend' })
  assert.ok(told.trimEnd().endsWith(REPLY_FORMATS.claim))
})

test('fixers evaluate themselves, nobody may silence a check, and the challenger is told to look for it [S2-36]', () => {
  const [fixing, challenger] = [agents.loadGuideline('fixing'), agents.loadAgent('fix_challenger').instructions]
  for (const trick of ['noqa', 'ts-ignore', 'eslint-disable', 'skipped', 'deleted'])
    for (const text of [fixing, challenger])
      assert.ok(text.includes(trick), `${text.slice(0, 40)} says nothing of ${trick}`)
  assert.match(fixing, /`confidence`: that a hostile reviewer|`confidence`: that a hostile\s+reviewer/)
})

test('no agent text holds an at sign, which both CLIs would read as a file to include', () => {
  for (const file of readdirSync(FOLDER)) assert.ok(!readFileSync(join(FOLDER, file), 'utf8').includes('@'), file)
})

test('a broken agent file is refused with its path and what is wrong', () => {
  const good = {
    name: 'x',
    description: 'y',
    cli: 'claude',
    model: 'opus',
    thinking_budget: 1,
    tools: [],
    reply: 'fix',
  }
  const write = (fields: object, body = 'Do it.'): string =>
    folderWith('fixer.md', `---\n${JSON.stringify(fields)}\n---\n${body}`)
  assert.equal(loadAgentDefinitions(write(good)).loadAgent('fixer').model, 'opus')
  const cases: [string, RegExp][] = [
    [folderWith('fixer.md', 'no front matter'), /fixer\.md must begin with front matter/],
    [folderWith('fixer.md', '---\na: [\n---\nText'), /fixer\.md is not YAML/],
    [write({ ...good, cli: 'cursor' }), /fixer\.md is not valid:[\s\S]*cli/],
    [write({ ...good, reply: 'poem' }), /reply/],
    [write({ ...good, thinking_budget: -1 }), /thinking_budget/],
    [write({ ...good, modle: 'opus' }), /modle/],
    [write({ name: 'x' }), /description/],
    [write(good, '/clear\nand then'), /must begin with a letter/],
    [write(good, '- do this'), /must begin with a letter/],
  ]
  for (const [folder, message] of cases) assert.throws(() => loadAgentDefinitions(folder), message)
})

test('a role that is not there, or is only a guideline, says so by name', () => {
  const folder = folderWith('fixer.md', '---\nname: fixer\ndescription: y\n---\nText')
  assert.throws(
    () => loadAgentDefinitions(folder).loadAgent('re_fixer'),
    /no agent file .*re_fixer\.md: there are fixer/,
  )
  assert.throws(() => loadAgentDefinitions(folder).loadAgent('fixer'), /can't be called/)
})

test('an edited file on disk changes nothing for a worker that runs', () => {
  const folder = folderWith('dev_be.md', '---\nname: dev-be\ndescription: y\n---\nFirst.')
  const opened = loadAgentDefinitions(folder)
  writeFileSync(join(folder, 'dev_be.md'), 'gone')
  assert.equal(opened.loadGuideline('dev_be'), 'First.')
})
