// Variables of the instance's environment that the settings name: commands see them, and nothing that is written down holds them.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildClaudeEnvironment } from '../../../src/agents/claude/environment.ts'
import { S1, setBench, verifiedBy } from '../support.ts'

const PASSWORD = 'seven-brown-horses'
const URL = `postgres://shop:${PASSWORD}@db.internal/shop`
const ENVIRONMENT = { DATABASE_URL: URL, OTHER_URL: 'amqp://queue.internal/other' }
const PRINTS =
  'test -z "$OTHER_URL" && echo "at $DATABASE_URL" && echo "$DATABASE_URL" | sed "s/.*shop:\\(.*\\)@.*/with \\1/" >&2'

function allTexts(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files.flatMap((file) => (statSync(file).isFile() ? readFileSync(file, 'utf8') : [])).join('\n')
}

test('setup and checks see the variables that the settings name and no other, and their values are masked [S4-17]', async (t) => {
  const bench = await setBench(t, ENVIRONMENT)
  const settings = verifiedBy([`test -n "$DATABASE_URL" && ${PRINTS} && touch node_modules/run`], {
    environment: ['DATABASE_URL', 'REDIS_URL'],
    setup: [`test -n "$DATABASE_URL" && ${PRINTS} && mkdir -p node_modules`],
  })
  await bench.session(S1, { A: 'src/app.py' }, settings)
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const outcome = await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head: base })
  assert.equal(outcome.verdict, 'passed')
  const [kept] = await bench.store.artifacts.listForSession(S1, { kind: 'verdict', name: 'base' })
  const { verification } = JSON.parse(await bench.shop.artifacts.getText(kept?.ref ?? ''))
  assert.match(verification[0].output, /^at «secret:/)
  assert.match(verification[0].errors, /^with «secret:/)
  const artifacts = allTexts(join(bench.home, 'artifacts'))
  assert.match(artifacts, /at «secret:/, 'what commands print is kept')
  assert.ok(!artifacts.includes(PASSWORD))
  const events = await bench.store.events.listAfter(S1)
  assert.ok(!JSON.stringify(events).includes(PASSWORD))
  assert.ok(
    events.some(({ message }) => /names REDIS_URL, which the instance's environment does not have/.test(message)),
  )
})

test('without a name in the settings a check sees no such variable, and no agent ever does [S4-17]', async (t) => {
  const bench = await setBench(t, ENVIRONMENT)
  await bench.session(S1, { A: 'src/app.py' }, verifiedBy(['test -z "$DATABASE_URL$OTHER_URL"']))
  const { base } = await bench.run('openSession', { sessionId: S1 })
  const outcome = await bench.run('verifyBaseline', { sessionId: S1, stepId: 'base', head: base })
  assert.equal(outcome.verdict, 'passed')
  assert.equal(buildClaudeEnvironment(ENVIRONMENT, { tmpdir: '/tmp' }).DATABASE_URL, undefined)
})
