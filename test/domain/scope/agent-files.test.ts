// Which files of a tree a challenger is not given to read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAgentFile } from '../../../src/domain/scope/agent-files.ts'

test('what instructs or configures an agent is recognised anywhere, in any letter case', () => {
  const theirs = ['GEMINI.md', 'web/Claude.md', 'AGENTS.md', '.gemini/settings.json', 'a/.claude/x/y.md', '.mcp.json']
  for (const path of [...theirs, '.geminiignore', '.cursorrules', '.env', 'web/.env.local'])
    assert.ok(isAgentFile(path), path)
})

test('code and documents are not', () => {
  const code = [
    'src/agents.ts',
    'docs/gemini.txt',
    'gemini.md.py',
    'claude/app.py',
    '.github/workflows/ci.yml',
    'env.py',
  ]
  for (const path of code) assert.ok(!isAgentFile(path), path)
})
