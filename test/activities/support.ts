// Activities without a worker: the person's repository, a store, artifacts and a workspace, all real, and Temporal's own mock of
// an attempt around each call. A store that dies is how a worker's death looks to the activity: nothing after it happens.

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import type { Info } from '@temporalio/activity'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { parse } from 'yaml'
import type { ActivityContext } from '../../src/activities/context.ts'
import { createSessionActivities } from '../../src/activities/index.ts'
import { loadAgentDefinitions } from '../../src/agents/definitions.ts'
import { openArtifactStore } from '../../src/artifacts/open-artifact-store.ts'
import { Settings } from '../../src/domain/settings/schema.ts'
import type { SnapshotMetadata } from '../../src/domain/stage/snapshot-metadata.ts'
import type { SessionActivities } from '../../src/domain/workflow-types/index.ts'
import { useGitHelperProcess } from '../../src/platform/git/use-helper-process.ts'
import type { Workspace } from '../../src/platform/git/workspace/object-store.ts'
import { createSnapshot } from '../../src/platform/git/workspace/snapshot-and-reset.ts'
import { findWorkspace } from '../../src/platform/git/workspace/workspace.ts'
import { createMasking } from '../../src/platform/masking/mask-secrets.ts'
import { resolveCachePath } from '../../src/runtime/home/home.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { computeIssueId } from '../../src/store/issues.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { NewSession } from '../../src/store/sessions.ts'
import type { Store } from '../../src/store/store.ts'
import { AT, type Sandbox, sandbox } from '../platform/git/support.ts'
import { finding } from '../store/support.ts'
import { insertIssues, insertSession, newSession } from '../support/store.ts'

// As in a worker, and for the same reason: this process is as large.
after(useGitHelperProcess())

export const DEFAULTS = Settings.parse(parse(readFileSync(join(packageRoot(), 'config/settings.yaml'), 'utf8')))

/** Settings with these commands, not strict. */
export function verifiedBy(
  commands: readonly string[],
  more: Partial<Settings['verification']> = {},
): Pick<Settings, 'verification'> {
  const { verification } = DEFAULTS
  return { verification: { ...verification, commands: [...commands], timeout_seconds: 20, strict: false, ...more } }
}

export const QUIET = new DefaultLogger('ERROR')

/** Closing a session ends whatever on the machine carries its id: what runs processes needs one that no other test file has. */
export const S1 = `s1-${process.pid}`

interface RunOptions {
  readonly shop?: ActivityContext
  readonly info?: Partial<Info>
}

type Run = <Name extends keyof SessionActivities>(
  name: Name,
  input: Parameters<SessionActivities[Name]>[0],
  options?: RunOptions,
) => ReturnType<SessionActivities[Name]>

/** The input of a commit of the issue A, from its snapshot `fix`. */
export function commitOfA(sessionId: string, head: string) {
  return { ...gateInput(sessionId, 'commit', head, 'fix'), iterations: { A: 1 } }
}

/** What a gate or a commit is asked about these issues of one snapshot. */
export function gateInput(sessionId: string, stepId: string, head: string, snapshot: string, codes = ['A']) {
  return { sessionId, stepId, head, selections: [{ snapshot, codes }], codes, iteration: 1 }
}

export interface Bench extends Sandbox {
  readonly shop: ActivityContext
  readonly store: Store
  /** A session that was asked to fix an issue in each of these files. */
  session(
    id: string,
    files: Readonly<Record<string, string>>,
    settings?: Partial<Settings>,
    more?: Partial<NewSession>,
  ): Promise<void>
  run: Run
  workspace(id: string): Workspace
  /** Takes the person's repository away. */
  remove(): void
  /** What a fixer's call leaves behind: these files, each the issue's that is named. */
  fixed(
    id: string,
    name: string,
    files: Readonly<Record<string, string | undefined>>,
    owner: string,
    /** Where they are not all one issue's. */
    owners?: Readonly<Record<string, string>>,
  ): Promise<string>
}

export async function setBench(t: TestContext, environment: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const box = sandbox(t)
  const store = await openStore(join(box.home, 'store.db'))
  t.after(() => store.close())
  const shop: ActivityContext = {
    store,
    artifacts: openArtifactStore(join(box.home, 'artifacts')),
    agents: loadAgentDefinitions(join(packageRoot(), 'agents')),
    masking: createMasking(environment),
    sessionsFolder: join(box.home, 'sessions'),
    markersFolder: join(box.home, 'sessions/.markers'),
    compileCacheFolder: join(resolveCachePath(process.env), 'gemini'),
    environment: { PATH: process.env.PATH, ...environment },
    hostQueue: 'host',
    searchAttributes: [],
    markerSecret: 'unused',
  }
  const workspace = (id: string): Workspace => {
    const found = findWorkspace(join(shop.sessionsFolder, id, 'workspace'))
    if (!found) throw new Error(`no workspace of ${id}`)
    return found
  }
  const run = (name: keyof SessionActivities, input: never, { shop: other = shop, info }: RunOptions = {}) =>
    new MockActivityEnvironment(info, { logger: QUIET }).run(createSessionActivities(other)[name], input)
  return {
    ...box,
    shop,
    store,
    workspace,
    remove: () => rmSync(box.repository, { recursive: true }),
    async session(id, files, settings = {}, more = {}) {
      const findings = Object.entries(files).map(([code, file]) => finding(code, { file, title: 'One title' }))
      // A task of its own: the same codes may be asked for again.
      await insertIssues(store, box.repository, id, findings)
      const issue_ids = findings.map(({ issue_code }) => computeIssueId(box.repository, id, issue_code))
      await insertSession(
        store,
        newSession(id, {
          repository: box.repository,
          key: `key of ${id}`,
          task_id: id,
          base_commit: box.git(['rev-parse', 'HEAD']),
          settings: { ...DEFAULTS, ...settings },
          issues_requested: findings.length,
          issue_ids,
          ...more,
        }),
      )
    },
    run: run as Run,
    async fixed(id, name, files, owner, others = {}) {
      const at = workspace(id)
      box.write(files, at.tree)
      const all = { ...Object.fromEntries(Object.keys(files).map((file) => [file, owner])), ...others }
      const owners = Object.fromEntries(Object.entries(all).map(([file, one]) => [file, [one]]))
      const note: SnapshotMetadata = { owners, claims: {}, outOfScope: [], violations: [], notes: [] }
      return (await createSnapshot(at, { name, parent: at.base, at: AT, message: JSON.stringify(note) })).tree
    },
  }
}

/** The same shop, but its worker dies at the nth call of the store (1-based), before or after that call was made. */
export function dyingShop(
  shop: ActivityContext,
  nth: number,
  when: 'before' | 'after',
): { shop: ActivityContext; died(): boolean } {
  let calls = 0
  const isDead = (): boolean => calls > nth || (calls === nth && when === 'before')
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value = Reflect.get(target, name, receiver)
        if (typeof value === 'object' && value !== null) return wrap(value)
        // Before each event it is read what was spent: to die there is to die after what was written before.
        if (typeof value !== 'function' || name === 'spending' || name === 'spent') return value
        return async (...args: unknown[]) => {
          calls += 1
          if (isDead()) throw new Dead()
          const result = await value.apply(target, args)
          if (calls >= nth && when === 'after') throw new Dead()
          return result
        }
      },
    })
  return { shop: { ...shop, store: wrap(shop.store) }, died: () => calls >= nth }
}

class Dead extends Error {
  override readonly name = 'Dead'
}
