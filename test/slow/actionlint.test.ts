// actionlint over the reusable workflow and the example, and what it does not look at: no expression in a script, actions pinned by commit.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'
const WORKFLOWS = [...globSync('.github/workflows/*.yml'), 'examples/github-workflow.yml']

test('actionlint finds nothing in the workflows, and something in a broken one', { timeout: 600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'actionlint-'))
  try {
    execFileSync('go', ['install', ACTIONLINT], { env: { ...process.env, GOBIN: folder }, stdio: 'pipe' })
    const lint = (args: readonly string[], input?: string) =>
      spawnSync(join(folder, 'actionlint'), ['-no-color', ...args], { encoding: 'utf8', input })
    const found = lint(WORKFLOWS)
    assert.deepEqual([found.status, found.stdout], [0, ''])
    const broken = readFileSync(WORKFLOWS[0] ?? '', 'utf8').replace('needs: read', 'needs: raed')
    assert.match(lint(['-'], broken).stdout, /raed/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
