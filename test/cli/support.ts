// The real command on a home of its own, whose store a test fills through the store's API: no Temporal, no agent, no model.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Finding } from '../../src/domain/issue/parse-findings.ts'
import { fixSessionEnded } from '../../src/domain/session/events/session-events.ts'
import type { FixSessionResult } from '../../src/domain/session/session.ts'
import { type Home, openHome } from '../../src/runtime/home/home.ts'
import { packageRoot } from '../../src/runtime/home/package-root.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { NewSession } from '../../src/store/sessions.ts'
import type { Store } from '../../src/store/store.ts'
import { DEFAULT_SETTINGS, insertIssues, insertSession } from '../support/store.ts'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface Desk {
  readonly folder: string
  readonly home: Home
  readonly store: Store
  readonly environment: Readonly<Record<string, string>>
  /** Runs `fixwright` to its end, in an environment made from scratch. */
  run(...args: string[]): Promise<Ran>
  runWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran>
  /** The same, while it runs. */
  start(...args: string[]): { readonly ended: Promise<Ran>; stderr(): string }
  /** Done before its folder is removed, what was added last first. */
  beforeEnd(end: () => Promise<void>): void
}

const BIN = join(packageRoot(), 'bin', 'fixwright')

export async function setDesk(t: TestContext): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-cli-'))
  const environment: Record<string, string> = {
    PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: folder,
    TMPDIR: folder,
    FIXWRIGHT_HOME: join(folder, 'home'),
    FIXWRIGHT_CACHE: join(folder, 'cache'),
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const home = openHome(environment)
  const store = await openStore(home.database)
  // The folder goes last: whoever still has it open could make files in it again.
  const ends: (() => Promise<void> | void)[] = [() => store.close()]
  t.after(async () => {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const startWith = (env: Readonly<Record<string, string>>, args: string[]) => {
    const ended = Promise.withResolvers<Ran>()
    const child = execFile(BIN, args, { cwd: folder, env: { ...environment, ...env } }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      ended.resolve({ status, stdout, stderr })
    })
    let said = ''
    child.stderr?.on('data', (text: string) => {
      said += text
    })
    return { ended: ended.promise, stderr: () => said }
  }
  const runWith: Desk['runWith'] = (env, ...args) => startWith(env, args).ended
  const [run, start] = [(...args: string[]) => runWith({}, ...args), (...args: string[]) => startWith({}, args)]
  const beforeEnd = (end: () => Promise<void>) => void ends.push(end)
  return { folder, home, store, environment, runWith, run, start, beforeEnd }
}

export function finding(code: string, more: Partial<Finding> = {}): Finding {
  return {
    issue_code: code,
    title: `About ${code}`,
    description: '',
    file: `src/${code}.py`,
    severity: 'high',
    ...more,
  }
}

/** Issues and a session that was asked to fix them, as `fix` leaves them when it has started one. */
export async function addSession(
  { store }: Desk,
  id: string,
  codes: readonly string[],
  more: Partial<NewSession> = {},
): Promise<readonly string[]> {
  const [repository, task_id] = [more.repository ?? '/repo', more.task_id ?? 'task']
  const issues = await insertIssues(
    store,
    repository,
    task_id,
    codes.map((code) => finding(code)),
  )
  const issue_ids = issues.map(({ issue_id }) => issue_id)
  await insertSession(store, {
    session_id: id,
    workflow_id: `fix-${id}`,
    run_id: 'run',
    key: id,
    repository_id: repository,
    repository,
    task_id,
    status: 'generating',
    settings: DEFAULT_SETTINGS,
    options: {},
    issues_requested: codes.length,
    issues_fixed: 0,
    issues_failed: 0,
    issues_skipped: 0,
    cost_usd: 0,
    issue_ids,
    ...more,
  })
  for (const issue_id of issue_ids) {
    await store.issues.changeStatus({ issue_id, to: 'in_progress', mover: 'session', session_id: id })
  }
  return issue_ids
}

const SHA = 'a'.repeat(40)

/** Ends it: the first issue fixed, the others failed. */
export async function endSession({ store }: Pick<Desk, 'store'>, id: string, commit_message?: string): Promise<void> {
  const issues = await store.sessions.listIssues(id)
  for (const [index, { issue }] of issues.entries()) {
    const { issue_id, issue_code } = issue
    const plain = { issue_id, issue_code, fix_files_modified: [], false_positive: false, iterations: 2 }
    const commit = { commit_sha: SHA, ...(commit_message ? { commit_message } : {}) }
    const fixed = { ...plain, ...commit, status: 'completed', fix_gemini_score: 97 } as const
    await store.sessions.setIssueOutcome(id, index === 0 ? fixed : { ...plain, status: 'failed', error: 'scored 45' })
    await store.issues.changeStatus({
      issue_id,
      to: index === 0 ? 'resolved' : 'failed',
      mover: 'session',
      session_id: id,
    })
  }
  const session = await store.sessions.get(id)
  const results = (await store.sessions.listIssues(id)).flatMap(({ outcome }) => outcome ?? [])
  const counts = { issues_fixed: 1, issues_failed: issues.length - 1, issues_skipped: 0 }
  const status = issues.length === 1 ? 'completed' : 'partial'
  const result: FixSessionResult = {
    ...counts,
    status,
    session_id: id,
    repository_id: session?.repository_id ?? '',
    task_id: session?.task_id ?? '',
    branch_name: 'fix/it',
    issues_requested: issues.length,
    results,
    commits: [{ sha: SHA, message: 'fix: it', issue_codes: [issues[0]?.issue.issue_code ?? ''] }],
    cost_usd: 0.5,
    duration_ms: 1234,
  }
  await store.sessions.update(id, { ...counts, status, cost_usd: 0.5, result })
  await store.events.append(id, [fixSessionEnded({ result })])
}
