// `fixwright issues` and `fixwright issue CODE`: what the store knows of findings, and what a person may do to one: along the
// table of transitions and nowhere else. Starts nothing.

import { FixwrightError } from '../../app/errors.ts'
import { allowedNext, IssueStatus } from '../../domain/issue/issue.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import type { IssueFilter } from '../../store/issues.ts'
import type { Store } from '../../store/store.ts'
import { withStore } from '../session/connect.ts'
import { parseChoice, resolveRepository } from '../session/find-session.ts'
import { paint, print, printNotice } from '../terminal/console.ts'
import { sanitizeForTty, sanitizeLine } from '../terminal/sanitize.ts'
import { formatTable } from '../terminal/table.ts'

export interface IssuesOptions {
  readonly json: boolean
  readonly repo?: string | undefined
  readonly status?: string | undefined
  readonly task?: string | undefined
  /** Only those that are worth fixing together with this one. */
  readonly related?: string | undefined
}

export interface IssueOptions {
  readonly json: boolean
  readonly repo?: string | undefined
  readonly task?: string | undefined
  readonly set?: string | undefined
  readonly note?: string | undefined
}

export async function runIssuesCommand({ json, repo, status, task, related }: IssuesOptions): Promise<number> {
  const filter = {
    repository: repo === undefined ? undefined : resolveRepository(repo),
    status: status === undefined ? undefined : parseChoice('--status', status, IssueStatus.options),
    task_id: task,
  }
  return withStore(async (store) => {
    const found =
      related === undefined ? await store.issues.list(filter) : await findRelatedIssues(store, related, filter)
    if (json) print(JSON.stringify(found, null, 2))
    else if (related !== undefined)
      print(found.length === 0 ? `nothing open is related to ${related}` : formatRelatedIssues(found))
    else if (found.length === 0)
      printNotice('no issue of that kind is known: they come with the findings that "fixwright fix" is given')
    else print(formatIssueGroups(found))
    return 0
  })
}

async function findRelatedIssues(store: Store, code: string, { repository, status, task_id }: IssueFilter) {
  const { repository: where, task_id: task } = await resolveIssue(store, code, {
    json: false,
    repo: repository,
    task: task_id,
  })
  const found = await store.issues.findRelated(where, code, task)
  return status === undefined ? found : found.filter((each) => each.status === status)
}

/** In the order given: the same file first, then the same category. */
function formatRelatedIssues(found: readonly IssueRecord[]): string {
  return formatTable(
    found.map((each) => [...toIssueRow(each).slice(0, 4), sanitizeLine(each.category ?? ''), sanitizeLine(each.title)]),
  )
}

/** Issues of one repository and task stand together, under a line that says which. */
function formatIssueGroups(found: readonly IssueRecord[]): string {
  const groups = Map.groupBy(found, ({ repository, task_id }) => `${repository} · task ${task_id}`)
  return [...groups]
    .map(
      ([name, members]) =>
        `${paint('bold', name, process.stdout)}\n${formatTable(members.toSorted(compareCodes).map(toIssueRow), '  ')}`,
    )
    .join('\n\n')
}

function compareCodes(one: IssueRecord, other: IssueRecord): number {
  return one.issue_code.localeCompare(other.issue_code, 'en', { numeric: true })
}

function toIssueRow({ issue_code, status, severity, file, line, title }: IssueRecord): string[] {
  const where = sanitizeLine(line === undefined ? file : `${file}:${line}`)
  return [issue_code, paintStatus(status), severity, where, sanitizeLine(title)]
}

export async function runIssueCommand(code: string, options: IssueOptions): Promise<number> {
  const { json, set, note } = options
  const to = set === undefined ? undefined : parseChoice('--set', set, IssueStatus.options)
  if (to === undefined && note !== undefined)
    throw new FixwrightError('bad_input', '--note says why a status is set: give --set, too')
  return withStore(async (store) => {
    const found = await resolveIssue(store, code, options)
    const current = to === undefined ? found : await setIssueStatus(store, found, to, note)
    if (json) print(JSON.stringify(current, null, 2))
    else if (to === undefined) print(describeIssueRecord(current))
    else print(`${code} is ${found.status === to ? 'already' : 'now'} ${to}`)
    return 0
  })
}

async function setIssueStatus(store: Store, { issue_id }: IssueRecord, to: IssueStatus, note: string | undefined) {
  const outcome = await store.issues.changeStatus({ issue_id, to, mover: 'person', note })
  if (outcome.kind === 'moved') return outcome.issue
  throw new FixwrightError('status_not_allowed', `nothing was changed: ${outcome.problem}`)
}

async function resolveIssue(store: Store, code: string, { repo, task }: IssueOptions): Promise<IssueRecord> {
  const repository = repo === undefined ? undefined : resolveRepository(repo)
  const found = await store.issues.list({ issue_code: code, repository, task_id: task })
  const [first, ...more] = found
  if (first && more.length === 0) return first
  if (first) {
    const lines = found.map(
      (each) => `  --task ${each.task_id}  in ${each.repository}: ${each.status}, ${sanitizeLine(each.title)}`,
    )
    throw new FixwrightError(
      'issue_not_found',
      `${code} is known in several tasks; say which with --task (and --repo):\n${lines.join('\n')}`,
    )
  }
  const codes = (await store.issues.list({ repository, task_id: task })).map(({ issue_code }) => issue_code)
  const { findNearest } = await import('../../runtime/settings/schema-introspection.ts')
  const near = findNearest(code, new Set(codes))
  throw new FixwrightError(
    'issue_not_found',
    `there is no issue ${code}${near === undefined ? '' : `; did you mean ${near}?`} ("fixwright issues" lists all)`,
  )
}

function describeIssueRecord(issue: IssueRecord): string {
  const next = allowedNext(issue.status, 'person')
  const facts: [string, string | number | undefined][] = [
    ['issue', issue.issue_code],
    ['status', paintStatus(issue.status)],
    ['title', sanitizeLine(issue.title)],
    ['where', sanitizeLine(issue.line === undefined ? issue.file : `${issue.file}:${issue.line}`)],
    ['severity', issue.severity],
    ['category', issue.category && sanitizeLine(issue.category)],
    ['repository', issue.repository],
    ['task', issue.task_id],
    ['session', issue.session_id],
    ['branch', issue.fix_branch],
    ['commit', issue.fix_commit_sha],
    ['files', issue.fix_files_modified.map(sanitizeLine).join(', ')],
    ['score', issue.fix_gemini_score],
    ['note', issue.resolution_note && sanitizeLine(issue.resolution_note)],
    ['you may set', next.join(', ')],
  ]
  const rows = facts.flatMap(([name, value]) => (value ? [[paint('dim', name, process.stdout), `${value}`]] : []))
  const texts = [issue.description, issue.fix_explanation, issue.fix_code].filter((text) => text)
  return [formatTable(rows), ...texts.map((text) => `\n${sanitizeForTty(text ?? '')}`)].join('\n')
}

function paintStatus(status: IssueStatus): string {
  const styles = { open: 'yellow', in_progress: 'cyan', failed: 'red', resolved: 'green', merged: 'green' } as const
  return paint(status === 'ignored' || status === 'duplicate' ? 'dim' : styles[status], status, process.stdout)
}
