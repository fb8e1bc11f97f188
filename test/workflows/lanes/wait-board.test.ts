import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWaitBoard } from '../../../src/workflows/lanes/wait-board.ts'

const LIMIT = { waiting: { kind: 'limit', for: 'the usage limit', since: 0 } } as const
const PAUSE = { waiting: { kind: 'pause', for: 'a resume', since: 0 } } as const
const QUESTION = {
  waiting: { kind: 'scope', for: 'a decision', since: 0 },
  open: { kind: 'scope', request: 's1.i1.b1.fix', files: [], more: 0 },
} as const

test('a wait board shows a question to people before all other waits, else the latest, until none is left', () => {
  const board = createWaitBoard()
  assert.equal(board.begin('limit', LIMIT), undefined, 'it is alone')
  assert.equal(board.begin('question', QUESTION), QUESTION)
  assert.equal(board.begin('pause', PAUSE), QUESTION)
  assert.equal(board.end('question'), PAUSE)
  assert.equal(board.end('pause'), LIMIT)
  assert.equal(board.end('limit'), undefined)
})
