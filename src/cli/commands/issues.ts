// `fixwright issues` and `fixwright issue CODE`: list the known findings, and change a status as far as is allowed.

import type { AppContext } from '../../app/context.ts'
import { FixwrightError } from '../../app/errors.ts'
import {
  findIssue,
  ISSUE_STATUSES,
  type IssuePlace,
  listAllowedStatuses,
  listIssues,
  listRelatedIssues,
  SEVERITIES,
  setIssueStatus,
} from '../../app/issues.ts'
import { resolveRepositoryId } from '../../app/repositories/repositories.ts'
import type { IssueStatus } from '../../domain/issue/issue.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { parseChoice, parseChoices } from '../options/shared.ts'
import { withApp } from '../session/with-app.ts'
import { paint, print, printJson, printNotice } from '../terminal/console.ts'
import { printPaged } from '../terminal/pager.ts'
import { sanitizeForTty, sanitizeLine } from '../terminal/sanitize.ts'
import { formatTable } from '../terminal/table.ts'

export interface IssuesOptions {
  readonly json: boolean
  readonly repo?: string | undefined
  readonly status?: string | undefined
  readonly severity?: string | undefined
  readonly task?: string | undefined
  /** Only issues worth fixing together with this one. */
  readonly related?: string | undefined
}

export interface IssueOptions {
  readonly json: boolean
  readonly repo?: string | undefined
  readonly task?: string | undefined
  readonly set?: string | undefined
  readonly note?: string | undefined
}

export async function runIssuesCommand(options: IssuesOptions): Promise<number> {
  const { json, repo, task, related } = options
  const status = parseChoices('--status', options.status, ISSUE_STATUSES)
  const severity = parseChoices('--severity', options.severity, SEVERITIES)
  return withApp(async (app) => {
    const place = await resolvePlace(app, { repo, task })
    const found =
      related === undefined
        ? await listIssues(app, { ...place, status, severity })
        : await listRelatedIssues(app, await resolveIssue(app, related, place), status)
    if (json) printJson(found)
    else if (related !== undefined)
      print(found.length === 0 ? `nothing open is related to ${related}` : formatRelatedIssues(found))
    else if (found.length === 0)
      printNotice('no issue of that kind is known: they come with the findings that "fixwright fix" is given')
    else await printPaged(formatIssueGroups(found))
    return 0
  })
}

async function resolvePlace(
  app: AppContext,
  { repo, task }: Pick<IssuesOptions, 'repo' | 'task'>,
): Promise<IssuePlace> {
  return { repository_id: await resolveRepositoryId(app, repo), task_id: task }
}

/** Keeps the given order: the same file first, then the same category. */
function formatRelatedIssues(found: readonly IssueRecord[]): string {
  return formatTable(
    found.map((each) => [...toIssueRow(each).slice(0, 4), sanitizeLine(each.category ?? ''), sanitizeLine(each.title)]),
  )
}

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
  const to = set === undefined ? undefined : parseChoice('--set', set, ISSUE_STATUSES)
  if (to === undefined && note !== undefined)
    throw new FixwrightError('bad_input', '--note says why a status is set: give --set, too')
  return withApp(async (app) => {
    const found = await resolveIssue(app, code, await resolvePlace(app, options))
    const current = to === undefined ? found : await setIssueStatus(app, found, to, note)
    if (json) printJson(current)
    else if (to === undefined) print(describeIssueRecord(current))
    else print(`${code} is ${found.status === to ? 'already' : 'now'} ${to}`)
    return 0
  })
}

async function resolveIssue(app: AppContext, code: string, place: IssuePlace): Promise<IssueRecord> {
  const found = await findIssue(app, code, place)
  switch (found.kind) {
    case 'one':
      return found.issue
    case 'several': {
      const lines = found.issues.map(
        ({ task_id, repository, status, title }) =>
          `  --task ${task_id}  in ${repository}: ${status}, ${sanitizeLine(title)}`,
      )
      throw new FixwrightError(
        'issue_not_found',
        `${code} is known in several tasks; say which with --task (and --repo):\n${lines.join('\n')}`,
      )
    }
    case 'none': {
      const hint = found.near === undefined ? '' : `; did you mean ${found.near}?`
      throw new FixwrightError('issue_not_found', `there is no issue ${code}${hint} ("fixwright issues" lists all)`)
    }
  }
}

function describeIssueRecord(issue: IssueRecord): string {
  const next = listAllowedStatuses(issue.status)
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
    ['duplicate of', issue.duplicate_of],
    ['regressed', issue.regressed && 'it was resolved, and a later report has it again'],
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
