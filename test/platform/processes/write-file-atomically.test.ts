import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { removeStaleDrafts, temporaryPath } from '../../../src/platform/processes/write-file-atomically.ts'

test('removeStaleDrafts removes the drafts of dead processes, and nothing else', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-drafts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { pid } = spawnSync('true')
  const own = basename(temporaryPath(join(folder, 'instance.json')))
  const dead = own.replace(`.${process.pid}-`, `.${pid}-`)
  const kept = ['instance.json', own, `${pid}-2026-1.json`, `settings.${pid}-A`, 'a.0-x', `notes.${pid}-x.txt`]
  for (const name of [dead, ...kept]) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, `folder.${pid}-x`))
  removeStaleDrafts(folder)
  assert.deepEqual(readdirSync(folder).sort(), [...kept, `folder.${pid}-x`].sort())
})
