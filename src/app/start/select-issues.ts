// Starts sessions on issues of the store, by their ids, as the HTTP service asks for them.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { AppContext } from '../context.ts'
import type { StartInput } from './start-session.ts'

export interface IssueStartRequest {
  readonly repository_id: string
  /** All issues must be of it; without it they may be of several tasks. */
  readonly task_id?: string | undefined
  readonly issue_ids: readonly string[]
  readonly user_notes?: string | undefined
  readonly use_existing_branch?: boolean | undefined
  readonly branch?: string | undefined
  readonly base?: string | undefined
  readonly against?: string | undefined
  /** The review's report in Markdown, as background for the agents. */
  readonly review?: string | undefined
  readonly allow_dirty?: boolean | undefined
  /** By path. Who asks over HTTP is not the operator of the worker: the same hold as for orders. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined
}

export async function toStartInput(app: AppContext, request: IssueStartRequest): Promise<StartInput> {
  const { repository_id, issue_ids, user_notes, use_existing_branch, allow_dirty = false, settings, ...rest } = request
  await assertAreThere(app, request)
  const { task_id: task, branch, base, against, review } = rest
  return {
    known: { ids: [...new Set(issue_ids)] },
    repository: repository_id,
    task,
    branch,
    base,
    against,
    review,
    useExistingBranch: use_existing_branch,
    notes: user_notes,
    allowDirty: allow_dirty,
    flags: app.flags,
    orderedSettings: settings,
  }
}

async function assertAreThere({ store }: AppContext, request: IssueStartRequest): Promise<void> {
  const { repository_id, task_id, issue_ids } = request
  const found = await Promise.all(issue_ids.map((id) => store.issues.get(id)))
  const missing = issue_ids.filter((_, index) => found[index]?.repository_id !== repository_id)
  if (missing.length > 0) {
    const named = missing.slice(0, 10).join(', ')
    throw new FixwrightError('issue_not_found', `the repository ${repository_id} has no issue ${named}`)
  }
  const other = found.find((issue) => task_id !== undefined && issue?.task_id !== task_id)
  if (other === undefined) return
  const where = `issue ${other.issue_id} is of the task ${other.task_id}`
  throw new FixwrightError(
    'bad_input',
    `${where}, not of ${task_id}: leave task_id out to take issues of several tasks`,
  )
}
