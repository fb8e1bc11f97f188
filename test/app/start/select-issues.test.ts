// Issues of the store that a start over HTTP names by their ids.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { AppContext } from '../../../src/app/context.ts'
import { toStartInput } from '../../../src/app/start/select-issues.ts'
import { prepareSession } from '../../../src/preflight/check-start.ts'
import { openHome } from '../../../src/runtime/home/home.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { setOrder } from '../../runtime/support.ts'

test('imported issues of a home that an earlier Fixwright wrote keep their ids in a session [S2-21]', async (t) => {
  const { env, addFile, repository } = setOrder(t)
  addFile('src/A.py')
  const home = openHome(env)
  const old = new DatabaseSync(home.database)
  const text = readFileSync(new URL('../../store/version-6.sql', import.meta.url), 'utf8')
  old.exec(text.replaceAll("'/srv/other/My-App'", `'${repository}'`))
  old.close()
  const store = await openStore(home.database)
  t.after(() => store.close())
  const { repository_id } = (await store.repositories.findByPath(repository)) ?? {}
  assert.ok(repository_id)
  const finding = { issue_code: 'I1', title: 'One', description: '', file: 'src/A.py', severity: 'low' } as const
  const origin = { tool: 't', rule: 'r', fingerprint: 'p', code_hash: 'h', tool_id: undefined, weaknesses: [] }
  await store.imports.apply({
    ...{ import_id: 'imp-1', repository_id, category: '', format: 'sarif', tools: ['t'], commit_sha: 'c' },
    ...{ report_ref: 'ref', imported_by: 'kim', found: [{ finding, origin, status: 'open' }] },
    scope: { wholeTools: new Set(), covered: undefined, contains: () => true },
  })
  const before = await store.issues.list({ repository_id })
  assert.equal(before.length, 2)
  const ids = before.map(({ issue_id }) => issue_id)
  const app = { store, flags: {} } as unknown as AppContext
  // Twice the same id is one issue.
  const input = await toStartInput(app, { repository_id, issue_ids: [...ids, ...ids] })
  const prepared = await prepareSession(input, home, env, store)
  assert.ok(prepared.kind === 'ready', JSON.stringify(prepared))
  assert.deepEqual([...prepared.session.issue_ids].sort(), [...ids].sort())
  assert.ok(prepared.areKnown, 'their text in the store is not written anew')
  await assert.rejects(toStartInput(app, { repository_id, task_id: 'imp-1', issue_ids: ids }), /is of the task task-6/)
})
