// What would hold git up is found in a small tree, which is walked here, and in a large one, where `find` lists it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeBlockers } from '../../../../src/platform/git/workspace/untakeable-entries.ts'
import { sandbox } from '../support.ts'

const MEBIBYTE = 2 ** 20

for (const [size, folders] of [
  ['small', 0],
  ['large', 300],
] as const) {
  test(`what would hold git up goes from a ${size} tree, and nothing else does`, async (t) => {
    const box = sandbox(t)
    const workspace = await box.open()
    const { tree } = workspace
    const inTree = (name: string | Buffer): Buffer => Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name)])
    for (let number = 0; number < folders; number += 1) mkdirSync(join(tree, 'many', `${number}`), { recursive: true })
    const odd = Buffer.from('odd \xff name', 'latin1')
    const places = ['nested/.git', 'deep/er', odd, 'exact', 'big']
    for (const place of places) mkdirSync(inTree(place), { recursive: true })
    const fifos = [
      'deep/er/.gitignore',
      Buffer.concat([odd, Buffer.from('/.gitattributes')]),
      'pipe',
      'nested/.git/config',
    ]
    for (const fifo of fifos) execFileSync('sh', ['-c', 'mkfifo "$(cat)"'], { input: inTree(fifo) })
    symlinkSync(join(tree, 'pipe'), join(tree, 'nested/.git/HEAD'))
    symlinkSync('nowhere', join(tree, 'nested/.git/index'))
    symlinkSync(join(tree, 'pipe'), join(tree, 'deep/link'))
    writeFileSync(join(tree, 'exact/.gitignore'), Buffer.alloc(MEBIBYTE, '#'))
    writeFileSync(join(tree, 'big/.gitignore'), Buffer.alloc(MEBIBYTE + 1, '#'))
    const removed = await removeBlockers(workspace)
    assert.deepEqual(removed.map(({ path, why }) => `${path}: ${why}`).sort(), [
      'big/.gitignore: larger than 1 MiB',
      'deep/er/.gitignore: a FIFO',
      'nested/.git/HEAD: a FIFO',
      'nested/.git/config: a FIFO',
      'odd \ufffd name/.gitattributes: a FIFO',
    ])
    assert.deepEqual(await removeBlockers(workspace), [])
  })
}
