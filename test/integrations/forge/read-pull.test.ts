// One look of a watch at a GitHub whose proxy takes the ETags away.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { ActivityContext } from '../../../src/activities/context.ts'
import { lookAtPull } from '../../../src/activities/forge/look-at-pull.ts'
import type { WatchInput } from '../../../src/domain/workflow-types/index.ts'
import { DEFAULT_SETTINGS } from '../../support/store.ts'

test('without ETags a second look sees the pull request again, and its merge', async (t) => {
  let merged = false
  const server = createServer((_, response) => {
    const [head, base] = [{ ref: 'fix/a', sha: 'b' }, { ref: 'main' }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ merged, state: merged ? 'closed' : 'open', merge_commit_sha: 'c', head, base }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const pace = { look_again_seconds: 0, watch_seconds: 1, watch_max_seconds: 1 }
  const github = { ...DEFAULT_SETTINGS.github, host, ...pace }
  const context = {
    environment: { GH_ENTERPRISE_TOKEN: 'a-token' },
    searchAttributes: [],
    store: { repositories: { get: async () => ({ path: '/r' }) } },
  } as unknown as ActivityContext
  const input: WatchInput = {
    ...{ homeQueue: 'q', remote: `http://${host}/ada/shop.git`, github, repositoryId: 'r' },
    ...{ branch: 'fix/a', number: 1, name: 'ada/shop#1' },
  }
  let tag: string | undefined
  const look = async () => {
    const looked = await lookAtPull(context, { ...input, tag })
    if (looked.kind !== 'done' || looked.value.kind !== 'seen') return looked
    tag = looked.value.pull.tag
    return looked.value.pull.state
  }
  assert.equal(await look(), 'open')
  merged = true
  assert.equal(await look(), 'merged')
})
