// Starts sessions on issues of the store, by their ids, as the HTTP service asks for them.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import type { AppContext } from '../context.ts'
import type { StartInput } from './start-session.ts'

export interface IssueStartRequest {
  readonly repository_id: string
  /** Default: the task of the issues, which must be one. */
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
  const issues = await findIssues(app, request)
  const task = request.task_id ?? issues[0]?.task_id
  const { branch, base, against, review } = rest
  return {
    findings: { issues: issues.map(toFinding) },
    format: 'fixwright',
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

async function findIssues({ store }: AppContext, request: IssueStartRequest): Promise<IssueRecord[]> {
  const ids = [...new Set(request.issue_ids)]
  const found = await Promise.all(ids.map((id) => store.issues.get(id)))
  const missing = ids.filter((_, index) => found[index]?.repository_id !== request.repository_id)
  if (missing.length > 0) {
    const named = missing.slice(0, 10).join(', ')
    throw new FixwrightError('issue_not_found', `the repository ${request.repository_id} has no issue ${named}`)
  }
  const issues = found.flatMap((issue) => issue ?? [])
  const tasks = [...new Set(issues.map(({ task_id }) => task_id))]
  const other = tasks.find((task) => task !== (request.task_id ?? tasks[0]))
  if (other === undefined) return issues
  throw new FixwrightError(
    'bad_input',
    `the issues must be of one task, and one is of ${other}: start a session for each`,
  )
}

function toFinding(issue: IssueRecord): object {
  const { issue_code, title, description, file, line, severity, category, suggested_fix } = issue
  const { estimated_effort, estimated_files_count } = issue
  const finding = { issue_code, title, description, file, line, severity, category, suggested_fix }
  return { ...finding, estimated_effort, estimated_files_count }
}
