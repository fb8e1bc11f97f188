// Lists the findings in the store, and changes an issue's status as far as the table of transitions allows.
import { hash } from 'node:crypto'
import { FixwrightError } from '../domain/errors/fixwright-error.ts'
import { allowedNext, IssueStatus, Severity } from '../domain/issue/issue.ts'
import type { IssueRecord } from '../domain/session/store-records.ts'
import type { IssuePageFilter } from '../store/issues.ts'
import type { AppContext } from './context.ts'

export interface IssueListRequest {
  readonly repository_id?: string | undefined
  readonly task_id?: string | undefined
  readonly status?: readonly IssueStatus[] | undefined
  readonly severity?: readonly Severity[] | undefined
}

export type IssuePlace = Omit<IssueListRequest, 'status' | 'severity'>

export const ISSUE_STATUSES = IssueStatus.options
export const SEVERITIES = Severity.options

/** The latest change first, for a list that is read in pages. */
export async function listIssuePage(
  { store }: Pick<AppContext, 'store'>,
  filter: IssuePageFilter,
): Promise<readonly IssueRecord[]> {
  return await store.issues.listPage(filter)
}

export async function loadIssue({ store }: Pick<AppContext, 'store'>, issueId: string): Promise<IssueRecord> {
  const issue = await store.issues.get(issueId)
  if (issue !== undefined) return issue
  throw new FixwrightError('issue_not_found', `there is no issue ${issueId}`)
}

/** Names this state of the issue: any change gives it another. */
export function computeIssueVersion(issue: IssueRecord): string {
  return hash('sha256', JSON.stringify(issue), 'base64url').slice(0, 22)
}

export interface IssueEdit {
  readonly status?: IssueStatus | undefined
  readonly note?: string | undefined
  /** The version that was read, or `*` for any. */
  readonly version: string
}

export type IssueEditOutcome =
  | { readonly kind: 'changed'; readonly issue: IssueRecord }
  /** It is not as it was read. */
  | { readonly kind: 'stale'; readonly current: IssueRecord }

/** A person's change of an issue that they have read. */
export async function changeIssue(
  app: Pick<AppContext, 'store'>,
  issueId: string,
  { status, note, version }: IssueEdit,
): Promise<IssueEditOutcome> {
  await loadIssue(app, issueId)
  const isAsSeen = (now: IssueRecord) => version === '*' || computeIssueVersion(now) === version
  const change = { issue_id: issueId, to: status, mover: 'person', note, isAsSeen } as const
  const outcome = await app.store.issues.changeStatus(change)
  if (outcome.kind === 'moved') return { kind: 'changed', issue: outcome.issue }
  if (outcome.current !== undefined) return { kind: 'stale', current: outcome.current }
  throw new FixwrightError('status_not_allowed', `nothing was changed: ${outcome.problem}`)
}

export async function listIssues({ store }: AppContext, request: IssueListRequest): Promise<readonly IssueRecord[]> {
  return await store.issues.list(request)
}

/** Lists issues worth fixing together with this one: the same file first, then the same category. */
export async function listRelatedIssues(
  { store }: AppContext,
  { repository_id, task_id, issue_code }: IssueRecord,
  status: readonly IssueStatus[] | undefined,
): Promise<readonly IssueRecord[]> {
  const found = await store.issues.findRelated(repository_id, issue_code, task_id)
  return status === undefined ? found : found.filter((each) => status.includes(each.status))
}

export type FoundIssue =
  | { readonly kind: 'one'; readonly issue: IssueRecord }
  | { readonly kind: 'several'; readonly issues: readonly IssueRecord[] }
  /** `near`: a similar code. */
  | { readonly kind: 'none'; readonly near?: string | undefined }

export async function findIssue({ store }: AppContext, issue_code: string, place: IssuePlace): Promise<FoundIssue> {
  const issues = await store.issues.list({ ...place, issue_code })
  const [issue, ...more] = issues
  if (issue) return more.length === 0 ? { kind: 'one', issue } : { kind: 'several', issues }
  const codes = (await store.issues.list(place)).map((each) => each.issue_code)
  const { findNearest } = await import('../runtime/settings/schema-introspection.ts')
  return { kind: 'none', near: findNearest(issue_code, new Set(codes)) }
}

export async function setIssueStatus(
  { store }: AppContext,
  { issue_id }: IssueRecord,
  to: IssueStatus,
  note: string | undefined,
): Promise<IssueRecord> {
  const outcome = await store.issues.changeStatus({ issue_id, to, mover: 'person', note })
  if (outcome.kind === 'moved') return outcome.issue
  throw new FixwrightError('status_not_allowed', `nothing was changed: ${outcome.problem}`)
}

/** The statuses to which a person may move an issue of this status. */
export function listAllowedStatuses(status: IssueStatus): readonly IssueStatus[] {
  return allowedNext(status, 'person')
}
