// What of the operator's own state Claude gets in a sandbox, and what comes back of it.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { prepareClaudeState } from '../../../src/agents/claude/state-folder.ts'

const HOUR = 3_600_000

function signIn(expiresAt: number, refreshToken = 'one'): string {
  return JSON.stringify({ claudeAiOauth: { accessToken: `access-${refreshToken}`, refreshToken, expiresAt } })
}

async function prepare(t: TestContext, credentials: string) {
  const root = mkdtempSync(join(tmpdir(), 'fixwright-state-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const [user, state, home] = [join(root, 'user'), join(root, 'state'), join(root, 'home')]
  for (const each of [join(user, '.claude'), state, home]) mkdirSync(each, { recursive: true })
  const theirs = join(user, '.claude/.credentials.json')
  writeFileSync(theirs, credentials, { mode: 0o600 })
  const own = { oauthAccount: { name: 'operator' }, projects: { '/their/other/work': {} }, mcpServers: { one: {} } }
  writeFileSync(join(user, '.claude.json'), JSON.stringify(own))
  writeFileSync(join(user, '.claude/settings.json'), '{"env":{"ANTHROPIC_BASE_URL":"https://models.example.com"}}')
  const prepared = await prepareClaudeState({ HOME: user }, { folder: state, home, conversations: join(root, 'said') })
  return { ...prepared, home, theirs, ours: join(state, '.credentials.json') }
}

test('it is signed in as its operator, and hears nothing of their other work', async (t) => {
  const credentials = signIn(Date.now() + 8 * HOUR)
  const { home, ours, variables } = await prepare(t, credentials)
  assert.equal(readFileSync(ours, 'utf8'), credentials)
  assert.equal(statSync(ours).mode & 0o777, 0o600)
  assert.deepEqual(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8')), { oauthAccount: { name: 'operator' } })
  assert.deepEqual(variables, { ANTHROPIC_BASE_URL: 'https://models.example.com' })
})

test('a sign-in that ran out and was renewed is brought home', async (t) => {
  const { ours, theirs, saveRenewedSignIn } = await prepare(t, signIn(Date.now() + 60_000))
  const renewed = signIn(Date.now() + 8 * HOUR, 'two')
  writeFileSync(ours, renewed)
  await saveRenewedSignIn()
  assert.equal(readFileSync(theirs, 'utf8'), renewed)
  assert.equal(statSync(theirs).mode & 0o777, 0o600)
})

const others: [string, (state: Awaited<ReturnType<typeof prepare>>) => void, number][] = [
  ['one that was good still', ({ ours }) => writeFileSync(ours, signIn(Date.now() + 9 * HOUR, 'evil')), 8 * HOUR],
  ['one that ends earlier', ({ ours }) => writeFileSync(ours, signIn(Date.now() - HOUR, 'evil')), 60_000],
  ['what is no sign-in', ({ ours }) => writeFileSync(ours, '{"hooks":"evil"}'), 60_000],
  [
    'a link',
    ({ ours, home }) => {
      const elsewhere = join(home, 'elsewhere')
      writeFileSync(elsewhere, signIn(Date.now() + 9 * HOUR, 'evil'))
      rmSync(ours)
      symlinkSync(elsewhere, ours)
    },
    60_000,
  ],
]
for (const [what, change, leftMs] of others) {
  test(`${what} stays where it is`, async (t) => {
    const credentials = signIn(Date.now() + leftMs)
    const state = await prepare(t, credentials)
    change(state)
    await state.saveRenewedSignIn()
    assert.equal(readFileSync(state.theirs, 'utf8'), credentials)
  })
}

test('what the operator did meanwhile is newer than what the call knows', async (t) => {
  const { ours, theirs, saveRenewedSignIn } = await prepare(t, signIn(Date.now() + 60_000))
  const own = signIn(Date.now() + 7 * HOUR, 'own')
  writeFileSync(theirs, own)
  writeFileSync(ours, signIn(Date.now() + 8 * HOUR, 'two'))
  await saveRenewedSignIn()
  assert.equal(readFileSync(theirs, 'utf8'), own)
})
