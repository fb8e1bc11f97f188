// What is said of issues at the end is what was seen of each: made, found, closed, or not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ForgeOutcome, LeftoverIssuesInput, PostedIssue } from '../../../src/domain/workflow-types/index.ts'
import { createIssuesByKey } from '../../../src/workflows/forge/create-leftover-issues.ts'
import type { ForgePorts } from '../../../src/workflows/forge/forge-ports.ts'

const toIssue = (number: number, key: string): PostedIssue => ({
  ...{ key, number, url: `https://forge.example/${number}`, state: 'open', missingLabels: [] },
})

/** Each list answers as the script says; each issue that is made gets the next number. */
async function createWith(keys: readonly string[], lists: ForgeOutcome<readonly PostedIssue[]>[], closes = true) {
  let made = 10
  const activities = {
    findLeftoverIssues: async () => lists.shift() ?? { kind: 'done', value: [] },
    openLeftoverIssue: async ({ key }: { readonly key: string }) => ({ kind: 'done', value: toIssue(++made, key) }),
    closeDuplicateIssue: async () =>
      closes ? { kind: 'done', value: null } : { kind: 'refused', code: 'forge_refused', detail: 'no right' },
  }
  const run = (_: string, work: (each: never) => unknown) => work(activities as never)
  const ports = { lookAgainMs: 0, pause: async () => {}, waitOutLimit: async () => true, read: run, write: run }
  return await createIssuesByKey({ keys } as unknown as LeftoverIssuesInput, ports as unknown as ForgePorts)
}

test('an issue that was made is told of, though the last list lags behind or has no answer', async () => {
  for (const last of [
    { kind: 'done', value: [toIssue(1, 'a')] },
    { kind: 'lost', detail: 'gone' },
  ] as const) {
    const { created, found, failed } = await createWith(['a', 'b'], [{ kind: 'done', value: [toIssue(1, 'a')] }, last])
    assert.deepEqual([created.map(({ number }) => number), found.map(({ number }) => number), failed], [[11], [1], []])
  }
})

test('a second issue of a finding counts as closed only if it is', async () => {
  const both = { kind: 'done', value: [toIssue(1, 'a'), toIssue(2, 'a')] } as const
  assert.deepEqual((await createWith(['a'], [both])).duplicates, [2])
  const { duplicates, failed } = await createWith(['a'], [both], false)
  assert.deepEqual(duplicates, [])
  assert.deepEqual(failed, [
    { key: 'a', code: 'forge_refused', detail: '#2, a second issue of it, is still open: no right' },
  ])
})
