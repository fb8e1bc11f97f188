// Chooses issues of the store to be fixed, in place of findings that are given.
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import { type IssueStatus, Severity } from '../../domain/issue/issue.ts'
import { Finding } from '../../domain/issue/parse-findings.ts'
import { deriveTaskId } from '../../domain/session/idempotency-key.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import type { Store } from '../../store/store.ts'

/** By their ids; otherwise the open ones, as far as they fit. */
export interface KnownSelection {
  readonly ids?: readonly string[] | undefined
  readonly severity?: readonly Severity[] | undefined
  /** Only those that this import opened. */
  readonly importId?: string | undefined
}

export interface KnownIssues {
  readonly kind: 'known'
  /** The most severe come first. */
  readonly findings: readonly Finding[]
  readonly ids: readonly string[]
  /** The issues' own task, or one made from several. */
  readonly task: string
}

interface SelectionRequest {
  readonly known: KnownSelection
  readonly task?: string | undefined
  readonly only?: readonly string[] | undefined
}

export async function selectKnownIssues(
  store: Store,
  root: string,
  { known, task, only }: SelectionRequest,
): Promise<KnownIssues | Refusal> {
  const repository = await store.repositories.findByPath(root)
  if (!repository) return refuse('repository_not_found', `the store knows nothing of ${root}: import a report first`)
  const { repository_id } = repository
  const { ids, severity, importId: opened_by } = known
  if (opened_by !== undefined && (await store.imports.get(opened_by))?.repository_id !== repository_id)
    return refuse('import_not_found', `${repository.name} has no import ${opened_by}`)
  const status: IssueStatus[] = ['open']
  const found = ids
    ? (await Promise.all(ids.map((id) => store.issues.get(id)))).flatMap((issue) => issue ?? [])
    : await store.issues.list({ repository_id, status, severity, opened_by, task_id: task })
  const own = new Set(found.filter((issue) => issue.repository_id === repository_id).map(({ issue_id }) => issue_id))
  const missing = ids?.filter((id) => !own.has(id)) ?? []
  if (missing.length > 0)
    return refuse('issue_not_found', ...missing.map((id) => `${repository.name} has no issue ${id}`))
  const unknown = only?.filter((code) => !found.some(({ issue_code }) => issue_code === code)) ?? []
  if (unknown.length > 0) return refuse('issue_not_found', ...unknown.map((code) => `no issue ${code} is chosen`))
  const issues = found.filter(({ issue_code }) => only?.includes(issue_code) ?? true).sort(compareSeverity)
  const repeated = [...Map.groupBy(issues, ({ issue_code }) => issue_code.toLowerCase()).values()]
    .filter((same) => same.length > 1)
    .map(
      (same) =>
        `${same[0]?.issue_code} is the code of issues of several tasks: give --task with one of ${listTasks(same)}`,
    )
  if (repeated.length > 0) return refuse('bad_input', ...repeated)
  const tasks = [...new Set(issues.map(({ task_id }) => task_id))].sort()
  return {
    kind: 'known',
    findings: issues.map((issue) => Finding.parse(issue)),
    ids: issues.map(({ issue_id }) => issue_id),
    task: tasks.length === 1 ? `${tasks[0]}` : (task ?? deriveTaskId(tasks.map((each) => ({ task: each })))),
  }
}

function compareSeverity(one: IssueRecord, other: IssueRecord): number {
  const rank = ({ severity }: IssueRecord) => Severity.options.indexOf(severity)
  return rank(one) - rank(other) || one.issue_code.localeCompare(other.issue_code, 'en', { numeric: true })
}

function listTasks(issues: readonly IssueRecord[]): string {
  return issues.map(({ task_id }) => task_id).join(', ')
}

function refuse(code: Refusal['code'], ...problems: readonly string[]): Refusal {
  return { kind: 'refused', code, problems }
}
