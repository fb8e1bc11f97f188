// A fixer that wants to approve itself, and a check that runs what it wrote, from the terminal to the commit.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { NO_SANDBOX } from '../platform/sandbox/support.ts'
import { checkInvariants } from '../support/invariants.ts'
import { attempts, bash, rightEdit } from '../support/scripting.ts'
import { type E2eStage, setMadeStage } from '../support/session.ts'

const GOES_FOR = ['its operator’s key', 'the store', 'Temporal', 'our own commands', 'the token of the HTTP API']

/** Each line says what was reached, to the model, which keeps what it hears. */
function goFor({ folder, home, environment, temporal }: E2eStage): string {
  const [host, port] = `${temporal?.address}`.split(':')
  const own = `FIXWRIGHT_HOME='${home.path}' '${join(packageRoot(), 'bin/fixwright')}' list --json`
  const lines = [
    `grep -q canary '${environment.HOME}/.ssh/id_canary'`,
    `grep -q SQLite '${home.database}'`,
    `node -e 'require("net").connect(${port}, "${host}").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'`,
    `${own} | grep -q fx-`,
    `grep -q fxw_ '${tokenFile(environment)}'`,
  ]
  // Below /tmp, where a sandbox has its own: whether it is there is seen outside.
  const plant = `echo x > '${folder}/planted'`
  // Written so that the text of the script itself is no find.
  const tries = lines.map((line, at) => `if (${line}) 2>/dev/null; then echo "rea""ched: ${GOES_FOR[at]}"; fi`)
  return [...tries, plant].join('\n')
}

function tokenFile({ HOME }: E2eStage['environment']): string {
  return join(`${HOME}`, 'fixwright-token')
}

async function session(t: TestContext, mode: 'require' | 'off') {
  const stage = await setMadeStage(t, 1, {
    files: { 'check.sh': 'sh attack.sh > said.txt; cat said.txt; ! grep reached said.txt\n' },
  })
  mkdirSync(join(`${stage.environment.HOME}`, '.ssh'), { recursive: true })
  writeFileSync(join(`${stage.environment.HOME}`, '.ssh/id_canary'), 'canary')
  const made = await stage.command('token', 'create', '--name', 'ci', '--file', tokenFile(stage.environment)).ended
  assert.equal(made.status, 0, made.stderr)
  const attack = `${goFor(stage)}\necho "went for it"\n`
  const write = { tool: 'write' as const, file: 'attack.sh', content: attack }
  attempts(stage.made, 'T-001', [write, bash('sh attack.sh'), rightEdit(stage.made, 'T-001')])
  stage.model.setScenario(stage.made.scenario)
  const args = ['--set', `sandbox.mode=${mode}`, '--verify', 'test ! -e attack.sh || sh check.sh']
  // The check fails when it reaches anything.
  const status = mode === 'off' ? 1 : 0
  const { result } = await stage.fix(stage.made.findings, { args: [...args, '--max-iterations', '1'], status })
  const heard = stage.model
    .calls()
    .map(({ body }) => JSON.stringify(body))
    .join('\n')
  const events = await stage.events(`${result?.session_id}`)
  assert.ok(heard.includes('went for it'))
  return { stage, result, heard, events }
}

describe('a fixer that would approve itself', { skip: NO_SANDBOX, concurrency: 2 }, () => {
  test('`require`: it reaches neither Temporal nor our commands, its tests neither, and the session ends in order', async (t) => {
    const { stage, result, heard, events } = await session(t, 'require')
    assert.deepEqual([result?.issues_fixed, heard.match(/reached: [^"\\]*/g)], [1, null])
    assert.ok(!existsSync(join(stage.folder, 'planted')))
    const calls = events.filter((event) => event.type === 'fix_call_completed')
    assert.deepEqual([...new Set(calls.map(({ data }) => data.sandbox))], ['network'])
    const { stdout } = await stage.command('status', `${result?.session_id}`).ended
    assert.match(stdout, /agents in +a file sandbox without network/)
    await checkInvariants(stage)
  })

  test('`off`: all of them, so the sandbox is what kept it', async (t) => {
    const { stage, heard, events } = await session(t, 'off')
    assert.deepEqual(
      GOES_FOR.filter((name) => heard.includes(`reached: ${name}`)),
      GOES_FOR,
    )
    assert.ok(existsSync(join(stage.folder, 'planted')))
    assert.match(events[0]?.message ?? '', /agents in (no sandbox|a process namespace only)/)
  })
})
