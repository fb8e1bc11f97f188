// Who is named as the sender of a message: only a seal of the home's own key makes it more than a claim.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { formatSealedText } from '../../../src/domain/people/sender-seal.ts'
import { openSenderKey, type SenderKey } from '../../../src/runtime/home/sender-key.ts'
import { curious } from '../../support/stub-session.ts'
import { until } from '../../support/until.ts'

test('a message sealed by a door of the home names its sender; a forged, changed, moved or older seal leaves a claim', async (t) => {
  const [key, foreign] = [makeKey(), makeKey()]
  const session = await curious(t, {}, { senderKey: key.publicKey })
  await session.asks('clarification')
  const seal = (by: SenderKey, message: object, at: number, workflow = session.workflowId) => ({
    ...message,
    seal: { at, signature: by.sign(formatSealedText(workflow, 'pause', message, at)) },
  })
  const kim = (reason: string) => ({ by: 'kim', from: 'terminal', reason })
  const sealed = seal(key, kim('one'), 100)
  await session.update('pause', sealed)
  const others = [
    kim('no seal'),
    seal(foreign, kim('of another home'), 101),
    { ...seal(key, kim('two'), 102), reason: 'changed' },
    seal(key, kim('of another session'), 103, 'other'),
    seal(key, kim('older'), 99),
  ]
  for (const message of others) await session.signal('pause', message)
  // As when an update is given up and sent again as a signal.
  await session.signal('pause', sealed)
  await until('all are on record', () => session.said.length === others.length + 2)
  const claimed = ['kim (claimed)', 'terminal (claimed)']
  assert.deepEqual(
    session.said.map(({ by, from }) => [by, from]),
    [['kim', 'terminal'], ...others.map(() => claimed), ['kim', 'terminal']],
  )
  await session.signal('resume', {})
  await session.signal('cancel', {})
  await session.ended()

  function makeKey(): SenderKey {
    const path = mkdtempSync(join(tmpdir(), 'sender-key-'))
    t.after(() => rmSync(path, { recursive: true }))
    const made = openSenderKey({ path })
    assert.equal(openSenderKey({ path }).publicKey, made.publicKey, 'a home has one key')
    return made
  }
})
