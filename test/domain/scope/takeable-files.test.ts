import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createRefusalFinder,
  MAX_ADDED_BYTES,
  MAX_CHANGED_FILES,
  MAX_FILE_BYTES,
} from '../../../src/domain/scope/takeable-files.ts'

const file = (path: string, bytes = 1, addedBytes = bytes) => ({ path, bytes, addedBytes })

test('createRefusalFinder refuses the names that some file system takes for .git, wherever they stand', () => {
  const refused = ['.git ', '.GIT.', 'a/git~1', '.g\u200cit/config', 'a\\.git\\config', '.git::$INDEX_ALLOCATION/x']
  for (const path of refused) assert.equal(createRefusalFinder()(file(path)), 'a name that git takes for its own', path)
  for (const path of ['.gitignore', 'git', '.github/x', 'a\\b', '..']) {
    assert.equal(createRefusalFinder()(file(path)), undefined, path)
  }
})

test('createRefusalFinder refuses a file beyond its limit, unless it was as large before', () => {
  assert.equal(createRefusalFinder()(file('a', MAX_FILE_BYTES)), undefined)
  assert.equal(createRefusalFinder()(file('a', MAX_FILE_BYTES + 1)), '100 MB, more than 100 MB')
  assert.equal(createRefusalFinder()(file('a', 2 ** 32)), '4.2 GB, more than 100 MB')
  assert.equal(createRefusalFinder()(file('a', 2 ** 32, 0)), undefined)
})

test('createRefusalFinder refuses what goes beyond the limits of a call, and takes what came before', () => {
  const findRefusal = createRefusalFinder()
  const parts = Array.from({ length: MAX_ADDED_BYTES / MAX_FILE_BYTES }, (_, at) =>
    findRefusal(file(`${at}`, MAX_FILE_BYTES)),
  )
  assert.deepEqual(new Set(parts), new Set([undefined]))
  assert.equal(findRefusal(file('more')), 'part of more than 200 MB of changes')
  const many = createRefusalFinder()
  for (let at = 1; at <= MAX_CHANGED_FILES; at += 1) assert.equal(many(file(`${at}`, 0)), undefined)
  assert.equal(many(file('more', 0)), 'one of more than 100000 changed files')
})
