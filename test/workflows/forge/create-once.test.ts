// Whatever is lost, limited or refused, in every order: a thing is there once at the end, or the work says that it is not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ForgeOutcome } from '../../../src/domain/workflow-types/index.ts'
import { createOnce } from '../../../src/workflows/forge/create-once.ts'

type Trouble = 'none' | 'lost before' | 'lost after' | 'limited' | 'late'

/** A forge whose lists may lag behind one look, and whose answers may be lost. */
function forgeWith(troubles: readonly Trouble[]) {
  const things: number[] = []
  const log: string[] = []
  let [write, hidden] = [0, 0]
  const ports = {
    lookAgainMs: 10,
    pause: async (ms: number) => {
      log.push(`pause ${ms}`)
      hidden = 0
    },
    waitOutLimit: async () => {
      log.push('limit')
      return true
    },
    find: async (): Promise<ForgeOutcome<readonly number[]>> => ({
      kind: 'done',
      value: things.slice(0, things.length - hidden),
    }),
    create: async (): Promise<ForgeOutcome<number>> => {
      const trouble = troubles[write++] ?? 'none'
      if (trouble === 'limited') return { kind: 'limited', until: 1, detail: 'wait' }
      if (trouble === 'lost before') return { kind: 'lost', detail: 'gone' }
      things.push(things.length + 1)
      if (trouble === 'late') hidden = 1
      return trouble === 'lost after' ? { kind: 'lost', detail: 'gone' } : { kind: 'done', value: things.length }
    },
  }
  return { ports, things, log }
}

test('whatever is lost or limited, the thing is made once', async () => {
  const trouble = fc.constantFrom<Trouble>('none', 'lost before', 'lost after', 'limited', 'late')
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { maxLength: 12 }), async (troubles) => {
      const { ports, things } = forgeWith(troubles)
      const made = await createOnce(ports)
      assert.ok(things.length <= 1)
      assert.equal(made.kind === 'done', things.length === 1)
    }),
  )
})

test('what is there before is found, and nothing is written', async () => {
  const { ports, things, log } = forgeWith([])
  things.push(4, 9)
  assert.deepEqual(await createOnce(ports), { kind: 'done', things: [4, 9], isNew: false })
  assert.deepEqual(log, [])
})

test('after a lost answer it is looked for twice before it is written again', async () => {
  const { ports, log } = forgeWith(['lost before'])
  assert.deepEqual(await createOnce(ports), { kind: 'done', things: [1], isNew: true })
  assert.deepEqual(log, ['pause 10', 'pause 20'])
})

test('a refusal stands, unless the thing is there by then', async () => {
  const refusal = { kind: 'refused', code: 'forge_refused', detail: 'exists' } as const
  const { ports, things } = forgeWith([])
  assert.deepEqual(await createOnce({ ...ports, create: async () => refusal }), refusal)
  const create = async () => {
    things.push(3)
    return refusal
  }
  assert.deepEqual(await createOnce({ ...ports, create }), { kind: 'done', things: [3], isNew: false })
})
