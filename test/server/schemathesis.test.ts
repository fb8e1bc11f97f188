// Every route of the OpenAPI document, asked by schemathesis with all its checks: bodies, parameters and headers as the schemas allow
// and forbid them. No answer may be a 5xx, and every answer must be what the document says.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createToken } from '../../src/app/access/tokens.ts'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { computeIssueId } from '../../src/store/issues.ts'
import { endSession, finding } from '../cli/support.ts'
import { installPythonTool, NO_PYTHON } from '../support/python-tools.ts'
import { setMadeStage } from '../support/session.ts'
import { newSession } from '../support/store.ts'
import { serveStage } from './support.ts'

const SCHEMATHESIS = 'schemathesis==4.32.5'
/** To look further than the test does: FIXWRIGHT_SCHEMATHESIS='--seed=7 --max-examples=200'. */
const MORE = process.env.FIXWRIGHT_SCHEMATHESIS?.split(' ') ?? []
/** It can't sign. */
const SIGNED = '/api/github/webhook'
/** A route that is asked less often than this was left out. */
const LEAST_REQUESTS = 2

test('every route answers whatever schemathesis asks as the OpenAPI document says, and never with a 5xx', {
  skip: NO_PYTHON,
  timeout: 10 * 60_000,
}, async (t) => {
  const tool = await installPythonTool(SCHEMATHESIS)
  const stage = await setMadeStage(t, 1)
  // A stream that only ends with its session would hold the run up.
  const api = await serveStage(stage, {
    tuning: { maxMs: 200, longPollMs: 200, failedSignInsPerMinute: 100_000 },
    role: 'admin',
  })
  const known = await fill(api)
  await api.app.instance.connect(api.settings)
  const folder = join(stage.folder, 'schemathesis')
  mkdirSync(folder)
  const spare = await createToken(api.app, { name: 'spare', role: 'viewer', expires: '1h' })
  const spared = formatSpared(spare.token.token_id)
  writeFileSync(join(folder, 'schemathesis.toml'), `${formatConfig(known)}${BEYOND_SCHEMAS}${spared}`)
  const args = ['-m', 'schemathesis.cli', 'run', `${api.url}/api/openapi.json`, '--checks=all', '--no-color']
  const bounds = ['--max-examples=15', '--seed=15', '--generation-database=none', '--continue-on-failure', ...MORE]
  const env = { PATH: process.env.PATH, HOME: folder, PYTHONPATH: tool, PYTHONDONTWRITEBYTECODE: '1' }
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    const more = ['-H', `Authorization: Bearer ${api.token}`]
    execFile('python3', [...args, ...bounds, ...more], { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, output: `${out}${err}` }),
    )
  })
  await api.app.store.sessions.update('fx-open', { status: 'failed' })
  assert.equal(code, 0, output)
  await assertAllAsked(api)
})

/** What no schema can say: which state an issue is in, and whether something is the report of a tool. */
const BEYOND_SCHEMAS = `
# An Idempotency-Key that it made up for two requests is refused with the second.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422", "5xx"]

[[operations]]
include-operation-id = ["changeIssue", "changeRepository"]
checks.missing_required_header.expected-statuses = ["428"]
checks.positive_data_acceptance.expected-statuses = ["2xx", "404", "409", "412"]

[[operations]]
include-operation-id = "importReport"
checks.positive_data_acceptance.expected-statuses = ["2xx", "404", "409", "422"]
`

/** What all need is not taken from them. */
const formatSpared = (token: string): string => `
[[operations]]
include-operation-id = "revokeToken"
parameters = { "path.token_id" = "${token}" }

`

type Known = Readonly<Record<string, readonly string[]>>
type Api = Awaited<ReturnType<typeof serveStage<Awaited<ReturnType<typeof setMadeStage>>>>>

/** Something that each route can find: an ended session with all that sessions have, a repository with issues of an import. */
async function fill({ app, post, stage }: Api): Promise<Known> {
  const added = await post('/api/repositories', { path: stage.repository, name: 'made' })
  assert.equal(added.status, 201, added.text)
  const { repository_id, path: repository } = added.body
  const taken = await post(`/api/repositories/${repository_id}/imports`, { report: stage.made.findings })
  assert.equal(taken.status, 201, taken.text)
  const findings = ['A', 'B'].map((code) => finding(code))
  const issue_ids = findings.map(({ issue_code }) => computeIssueId(repository_id, 'task', issue_code))
  const session = newSession('fx-ended', { repository, repository_id, issue_ids, issues_requested: 2 })
  assert.equal((await app.store.createSession(session, findings)).kind, 'begun')
  const { ref } = await openArtifactStore(stage.home.artifacts).put('a log')
  await app.store.artifacts.link({ session_id: 'fx-ended', kind: 'log', name: 'a log', ref })
  await endSession(app, 'fx-ended')
  // While it runs, its repository can't be removed. It ends with the test.
  const open = { repository, repository_id, issue_ids: [], key: 'open', status: 'generating', run_id: 'run' } as const
  assert.equal((await app.store.createSession(newSession('fx-open', open), [])).kind, 'begun')
  const issues = await app.store.issues.list({ repository_id })
  return {
    session_id: ['fx-ended'],
    repository_id: [repository_id],
    id: [repository_id, ...issues.map(({ issue_id }) => issue_id)],
    issue_id: issues.map(({ issue_id }) => issue_id),
    ref: [ref],
    import_id: [taken.body.import_id],
  }
}

/** Most paths name what there is, and the others what there is not. */
function formatConfig(known: Known): string {
  const lines = Object.entries(known).map(
    ([name, values]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(values)}\n`,
  )
  const bound = Object.keys(known).map((name) => `"path.${name}" = { dictionary = "${name}", probability = 0.7 }`)
  return `${lines.join('')}[parameters]\n${bound.join('\n')}\n`
}

/** The service's own log says what it was asked. */
async function assertAllAsked({ get, stage }: Api): Promise<void> {
  const { paths } = (await get('/api/openapi.json')).body as { paths: Record<string, object> }
  const asked = readFileSync(join(stage.home.logs, 'server.log'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.includes('a request') ? [JSON.parse(line) as Record<string, unknown>] : []))
  for (const [path, methods] of Object.entries(paths)) {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
    for (const method of Object.keys(methods)) {
      const found = asked.filter(
        (each) =>
          (each.status !== 401 || path === SIGNED) &&
          each.method === method.toUpperCase() &&
          pattern.test(`${each.path}`),
      )
      assert.ok(found.length >= LEAST_REQUESTS, `${method} ${path} was asked ${found.length} times`)
    }
  }
}
