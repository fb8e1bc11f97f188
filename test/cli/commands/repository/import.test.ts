// Reports become issues through the real command: counted first, taken, listed, undone.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gitAt } from '../../../support/session.ts'
import { setDesk } from '../../support.ts'

test('import: counts, takes and undoes a report, and issues are listed by status and severity', async (t) => {
  const desk = await setDesk(t)
  const path = join(desk.folder, 'app')
  mkdirSync(path)
  gitAt(path, ['init', '--quiet', '-b', 'main'])
  writeFileSync(join(path, 'a.js'), 'one\neval(a)\n')
  gitAt(path, ['add', '.'])
  gitAt(path, ['-c', 'user.name=K', '-c', 'user.email=k@e.org', 'commit', '--quiet', '-m', 'first'])
  const messages = [2, 1].map((severity) => ({ ruleId: `r${severity}`, severity, message: 'Do not.', line: severity }))
  writeFileSync(join(desk.folder, 'eslint.json'), JSON.stringify([{ filePath: 'a.js', messages }]))

  const preview = await desk.run('import', 'eslint.json', '--repo', 'app', '--preview')
  assert.match(preview.stderr, /eslint\.json: read as eslint: 2 of 2 results taken \(ESLint\)/)
  assert.equal(preview.stdout, 'would be: 2 created, 0 updated, 0 closed, 0 unchanged; nothing was changed\n')
  assert.deepEqual(await desk.store.repositories.list(), [])
  const taken = await desk.run('import', 'eslint.json', '--repo', 'app')
  assert.match(taken.stdout, /^imp-[0-9a-f]{12}: 2 created, 0 updated, 0 closed, 0 unchanged\n$/, taken.stderr)
  const again = JSON.parse((await desk.run('import', 'eslint.json', '--repo', 'app', '--json')).stdout)
  assert.deepEqual([again.counts.created, again.counts.unchanged], [0, 2])

  const high = await desk.run('issues', '--repo', 'app', '--status', 'open,failed', '--severity', 'high,critical')
  assert.match(high.stdout, /ESLINT-r2-\w+ {2}open {2}high/)
  assert.doesNotMatch(high.stdout, /ESLINT-r1/)
  const unknown = await desk.run('issues', '--severity', 'high,urgent')
  assert.match(unknown.stderr, /--severity urgent: must be one of critical, high, medium, low, info/)
  const listed = await desk.run('import', '--list', '--repo', 'app')
  assert.match(listed.stdout, /2 unchanged[^\n]*\n[^\n]*2 created/)
  const [, first = ''] = /^(imp-\w+): /.exec(taken.stdout) ?? []
  const early = await desk.run('import', '--undo', first)
  assert.match(early.stderr, new RegExp(`import ${again.import_id} came after ${first}`))
  assert.match((await desk.run('import', '--undo', again.import_id)).stdout, /is undone: 0 issue\(s\)/)
  assert.match((await desk.run('import', '--undo', first)).stdout, /is undone: 2 issue\(s\) are as before\n/)
  assert.deepEqual(await desk.store.issues.list(), [])
  assert.match((await desk.run('import')).stderr, /give one of: the file of a report, --undo/)
})
