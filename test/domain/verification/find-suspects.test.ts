import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSuspects } from '../../../src/domain/verification/find-suspects.ts'

const OWNERS = { 'pkg/bool.go': ['A'], 'flag.go': ['B'], 'src/app.py': ['C', 'D'], 'lib/app.py': ['E'] }

test('find suspects: the owners of the files that a compiler or a traceback names', () => {
  assert.deepEqual(findSuspects('# shop\n./flag.go:3:2: syntax error', OWNERS), ['B'])
  assert.deepEqual(findSuspects('  File "/tmp/w/tree/src/app.py", line 3, in <module>', OWNERS), ['C', 'D'])
  assert.deepEqual(findSuspects('FAILED src/app.py::test_it - pkg/bool.go is wrong.', OWNERS), ['A', 'C', 'D'])
})

test('find suspects: a file name with a line is enough where no other changed file has it', () => {
  assert.deepEqual(findSuspects('    bool.go:12: got 3, want 4', OWNERS), ['A'])
  assert.deepEqual(findSuspects('app.py:3: error', OWNERS), [])
})

test('find suspects: other files that only look alike are not meant', () => {
  assert.deepEqual(findSuspects('myflag.go:1 flag.gox flag.go.orig flag.go/x other-flag.go:2', OWNERS), [])
  assert.deepEqual(findSuspects('2 tests failed', OWNERS), [])
})
