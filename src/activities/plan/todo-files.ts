// The todo files: the issues, in their steps, and what is known about each. They are written from the session's brief,
// so any host can write them again; they lie in a session folder outside of the clone.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Brief, type Clarification, EMPTY_BRIEF, IssuePlan } from '../../domain/plan/brief.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import { getPathKind, readRegularFile, removePath } from '../../platform/git/files.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { type ActivityContext, getIssue, type Session, sessionFolder } from '../context.ts'
import { loadArtifact } from '../load-artifact.ts'

export interface TodoPaths {
  readonly folder: string
  readonly master: string
}

export interface TodoFile {
  readonly name: string
  readonly content: string
  readonly code?: string | undefined
}

const MASTER_FILE = 'master_todo.json'
/** No todo file is this long. */
const MAX_BYTES = 1 << 26

export async function loadBrief(context: ActivityContext, ref: string): Promise<Brief> {
  return await loadArtifact(context, ref, Brief)
}

/** Makes the files for these steps correct on this host, whatever became of earlier ones. */
export async function ensureTodoFiles(
  context: ActivityContext,
  session: Session,
  briefRef: string | undefined,
  steps: readonly (readonly string[])[],
): Promise<TodoPaths> {
  const brief = briefRef === undefined ? EMPTY_BRIEF : await loadBrief(context, briefRef)
  await writeTodoFiles(context, session, buildTodoFiles(context, session, brief, steps))
  return todoPaths(context, session)
}

export function todoPaths(context: Pick<ActivityContext, 'sessionsFolder'>, session: Pick<Session, 'id'>): TodoPaths {
  const folder = todoFolder(context, session)
  return { folder, master: join(folder, MASTER_FILE) }
}

export async function writeTodoFiles(
  context: ActivityContext,
  session: Session,
  files: readonly TodoFile[],
): Promise<void> {
  const folder = todoFolder(context, session)
  if (getPathKind(folder) !== 'directory') await removePath(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const { name, content } of files) {
    const path = join(folder, name)
    const masked = await context.masking.maskText(content)
    if (readRegularFile(path, MAX_BYTES) !== masked) writeFileAtomically(path, masked, 0o600)
  }
}

export function buildTodoFiles(
  context: ActivityContext,
  session: Session,
  brief: Brief,
  steps: readonly (readonly string[])[],
): TodoFile[] {
  const folder = todoFolder(context, session)
  const master = {
    session_id: session.id,
    execution_steps: steps.map((codes, index) => ({
      step: index + 1,
      mode: codes.length > 1 ? 'parallel' : 'serial',
      issues: codes.map((code) => ({
        code,
        file: getIssue(session, code).file,
        todo: join(folder, todoFileName(code)),
      })),
    })),
  }
  const issues = steps.flat().map((code): TodoFile => {
    const content = formatJson(buildIssueTodo(getIssue(session, code), brief))
    return { name: todoFileName(code), content, code }
  })
  return [{ name: MASTER_FILE, content: formatJson(master) }, ...issues]
}

function buildIssueTodo(issue: IssueRecord, { clarifications, plans, notes }: Brief): object {
  const { issue_code: code, title, file, line, description, suggested_fix, severity, category } = issue
  const { context, ...plan } = plans[code] ?? IssuePlan.parse({})
  return {
    issue: { code, title, file, line, description, suggested_fix, severity, category },
    clarifications: clarifications.filter((each) => isClarificationFor(each, code)).map(toTodoClarification),
    context,
    plan,
    ...(notes[code] === undefined ? {} : { note: notes[code] }),
  }
}

/** An answer stands only with its own issue, an answer to a general question with all issues. */
function isClarificationFor({ issue_code }: Clarification, code: string): boolean {
  return issue_code === undefined || issue_code === code
}

function toTodoClarification({ id, question, context, answer }: Clarification): object {
  return { id, question, context, answer }
}

function todoFolder(context: Pick<ActivityContext, 'sessionsFolder'>, { id }: Pick<Session, 'id'>): string {
  return join(sessionFolder(context, id), `fix_session_${id}`)
}

function todoFileName(code: string): string {
  return `fix_todo_${code}.json`
}

function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
