// A person's repository with findings beside it, and what `fix` makes of an order before anything is begun.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { type PrepareOutcome, prepareSession, type StartInput } from '../../src/preflight/check-start.ts'
import { openHome } from '../../src/runtime/home/home.ts'
import { openStore } from '../../src/store/open-store.ts'
import { sandbox } from '../platform/git/support.ts'

export const FINDINGS = [{ issue_code: 'A', title: 'One', file: 'src/app.py' }]

export type Ready = PrepareOutcome & { readonly kind: 'ready' }

/** The environment names a home that is not there yet. */
export function setOrder(t: TestContext, issues: unknown = FINDINGS) {
  const box = sandbox(t)
  const env = { FIXWRIGHT_HOME: join(box.home, 'home'), HOME: box.home, PATH: process.env.PATH }
  const findings = join(box.home, 'findings.json')
  const find = (all: unknown): void => writeFileSync(findings, JSON.stringify(all))
  find(issues)
  const order: StartInput = { findings, repository: box.repository, allowDirty: false, flags: {} }
  /** One more file in a commit of its own. */
  const addFile = (path: string): void => {
    mkdirSync(dirname(join(box.repository, path)), { recursive: true })
    writeFileSync(join(box.repository, path), '\n')
    box.git(['add', path])
    box.git(['commit', '-q', '-m', `Add ${path}`])
  }
  return { ...box, env, findings, find, order, addFile }
}

/** With a home, and the store in it. */
export async function setDesk(t: TestContext) {
  const { env, order, ...desk } = setOrder(t)
  const theirs = openHome(env)
  const store = await openStore(theirs.database)
  t.after(() => store.close())
  // Its id is its folder, as in `insertIssues`.
  await store.repositories.add({ repository_id: order.repository, path: order.repository })
  const prepare = (more: Partial<StartInput> = {}) => prepareSession({ ...order, ...more }, theirs, env, store)
  const ready = async (more: Partial<StartInput> = {}): Promise<Ready> => {
    const prepared = await prepare(more)
    assert.ok(prepared.kind === 'ready', JSON.stringify(prepared))
    return prepared
  }
  return {
    ...desk,
    env,
    theirs,
    store,
    prepare,
    ready,
    /** What keeps it from beginning. */
    async problems(more: Partial<StartInput> = {}): Promise<string> {
      const prepared = await prepare(more)
      return (prepared.kind === 'refused' ? prepared.problems : (prepared.obstacle?.problems ?? [])).join('\n')
    },
    /** What is in the way of a new session; everything else is right. */
    obstacle: async (more: Partial<StartInput> = {}): Promise<string> =>
      ((await ready(more)).obstacle?.problems ?? []).join('\n'),
  }
}
