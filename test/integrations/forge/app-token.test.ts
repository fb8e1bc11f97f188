// The token of an App's installation, on the GitHub of the test bed: asked for once an hour, and again when it does not count any more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForge } from '../../../src/integrations/forge/open-forge.ts'
import { sandbox } from '../../platform/git/support.ts'
import { startGitHub } from '../../support/github.ts'
import { makeApp } from '../../support/github-app.ts'
import { DEFAULT_SETTINGS } from '../../support/store.ts'

test('a second use of an App asks for no second token, until GitHub says no to the first', async (t) => {
  const box = sandbox(t)
  const { app, keyFile } = makeApp(box.home)
  const github = await startGitHub(t, { from: box.repository, app })
  const own = { host: github.host, app_id: app.id, app_key_file: keyFile }
  const settings = { ...DEFAULT_SETTINGS.github, ...own, look_again_seconds: 0 }
  const use = async () => (await openForge(github.remote, { settings, env: {} })).api?.repository()
  const requests = async () => (await github.state()).requests.map(({ path }) => path.split('/').at(-1))
  const asked = ['app', 'installation', 'access_tokens']
  await use()
  await use()
  assert.deepEqual(await requests(), [...asked, 'shop', 'shop'])
  await github.plan([{ method: 'GET', path: '/shop$', fault: { kind: 'unauthorised' } }])
  await assert.rejects(use())
  await use()
  assert.deepEqual((await requests()).slice(5), ['shop', ...asked, 'shop'])
})
