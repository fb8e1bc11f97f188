// A client that a stock generator made from the OpenAPI document does a whole piece of work: import, start, answer, watch, report.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { installPythonTool, NO_JAVA, NO_PYTHON } from '../support/python-tools.ts'
import { setMadeStage } from '../support/session.ts'
import { until } from '../support/until.ts'
import { serveStage } from './support.ts'

const run = promisify(execFile)
/** It brings its jar along. */
const GENERATOR = 'openapi-generator-cli==7.26.0'

// biome-ignore lint/suspicious/noExplicitAny: its types are only known once it is generated, and tsc checks them there
type Generated = any

/** Generates the client, compiles it with its own types, and loads it. */
async function generateClient(folder: string, document: unknown): Promise<Generated> {
  const tool = await installPythonTool(GENERATOR)
  mkdirSync(folder)
  const [from, sources, made] = [join(folder, 'openapi.json'), join(folder, 'sources'), join(folder, 'made')]
  writeFileSync(from, JSON.stringify(document))
  const jar = join(tool, 'openapi_generator_cli/openapi-generator.jar')
  const generate = ['-jar', jar, 'generate', '-g', 'typescript-fetch', '-i', from, '-o', sources]
  await run('java', [...generate, '--additional-properties=importFileExtension=.js'], { maxBuffer: 2 ** 26 })
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const tsc = join(packageRoot(), 'node_modules/.bin/tsc')
  const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--skipLibCheck', '--outDir', made]
  await run(tsc, [...options, join(sources, 'index.ts')], { cwd: folder })
  return await import(pathToFileURL(join(made, 'index.js')).href)
}

test('a generated client imports a scan, starts, answers a question, watches to the end and reads the report [S0-3] [S2-30]', {
  skip: NO_PYTHON || NO_JAVA,
}, async (t) => {
  const stage = await setMadeStage(t, 2)
  const api = await serveStage(stage, { role: 'admin' })
  const client = await generateClient(join(stage.folder, 'client'), (await api.get('/api/openapi.json')).body)
  const configuration = new client.Configuration({ basePath: api.url, accessToken: api.token })
  const [repositories, issues, fix, people, sessions] = [
    new client.RepositoriesApi(configuration),
    new client.IssuesApi(configuration),
    new client.FixApi(configuration),
    new client.PeopleApi(configuration),
    new client.SessionsApi(configuration),
  ]

  const newRepository = { path: stage.repository, name: 'made' }
  const { repositoryId } = await repositories.addRepository({ newRepository })
  const results = stage.made.findings.issues.map(({ title, file, line }, index) => ({
    ruleId: `rule-${index}`,
    level: 'error',
    message: { text: title },
    locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: Number(line) } } }],
  }))
  const report = { version: '2.1.0', runs: [{ tool: { driver: { name: 'scanner' } }, results }] }
  const imported = await repositories.importReport({ repositoryId, importReport: { report } })
  assert.deepEqual([imported.preview, imported.counts.created, imported.format], [false, 2, 'sarif'])

  const { items } = await issues.listIssues({ id: repositoryId, taskId: imported.importId, status: 'open' })
  assert.equal(items.length, 2)
  const question = 'Is an empty page a page?'
  const [first] = items
  const script = stage.made.findings.issues.map(({ file, line, issue_code }) => {
    const own = items.find((issue: Generated) => issue.file === file && `${issue.line}`.startsWith(line))
    return [own.issueCode, stage.made.scenario.issues[issue_code]] as const
  })
  stage.model.setScenario({
    ...stage.made.scenario,
    issues: Object.fromEntries(script) as typeof stage.made.scenario.issues,
    clarify: [{ questions: [{ issue_code: first.issueCode, question }] }],
  })

  const startFix = {
    repositoryId,
    taskId: imported.importId,
    issueIds: items.map((issue: Generated) => issue.issueId),
    settings: { 'people.clarify': true },
  }
  const { sessionId, joined } = await fix.startFix({ startFix })
  assert.equal(joined, false)
  const watched = await sessions.streamSessionEventsRaw({ sessionId })
  const watching = watched.raw.text() as Promise<string>
  let open: Generated
  await until('the fixer asks', async () => {
    open = await sessions.getQuestions({ sessionId })
    return open.questions.length > 0
  })
  assert.equal(open.questions[0].question, question)
  const answers = { [open.questions[0].id]: 'no' }
  const taken = await people.answerQuestions({ sessionId, answerQuestionsRequest: { answers } })
  assert.match(taken.kind, /taken|sent/)

  const frames = (await watching)
    .split('\n\n')
    .flatMap((frame) => /^id: (\d+)\nevent: (\w+)\n/.exec(frame)?.slice(1) ?? [])
  assert.equal(frames.at(-1), 'fix_session_completed')
  const numbers = frames.filter((_, index) => index % 2 === 0).map(Number)
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  )
  const state = await sessions.getSession({ sessionId })
  assert.deepEqual([state.status, state.counts.fixed], ['completed', 2])
  const read = await sessions.getReport({ sessionId, format: 'json' })
  assert.equal(read.sessionId ?? read.session_id, sessionId)
  // What the table of issues holds of a fix.
  const fixed = await issues.getIssue({ issueId: first.issueId })
  assert.deepEqual([fixed.status, fixed.fixBranch], ['resolved', state.branch])
  assert.match(fixed.fixCommitSha, /^[0-9a-f]{40}$/)
  assert.ok(fixed.fixCode && fixed.fixExplanation && fixed.fixFilesModified.includes(first.file), JSON.stringify(fixed))
  await api.close()
})
