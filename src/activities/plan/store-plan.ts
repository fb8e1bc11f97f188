// Stores a plan: as the fixers' brief, as todo files, and on the session's record. Todo files say what is known about each issue; they
// lie in a session folder outside of the clone and are made from the brief, so any host can write them again.
import { lstatSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ApplicationFailure } from '@temporalio/common'
import { Brief, type Clarification, EMPTY_BRIEF, IssuePlan } from '../../domain/plan/brief.ts'
import { listStageCodes, type Stage } from '../../domain/plan/plan.ts'
import type { SessionPlan } from '../../domain/session/session.ts'
import type { IssueRecord } from '../../domain/session/store-records.ts'
import { getPathKind, readRegularFile, removePath } from '../../platform/git/unruly-files.ts'
import { writeFileAtomically } from '../../platform/processes/write-file-atomically.ts'
import { loadArtifact, storeArtifact } from '../artifacts.ts'
import {
  type ActivityContext,
  getIssue,
  type Session,
  sessionFolder,
  temporaryTodoFolder,
  todoFolderName,
} from '../context.ts'

export interface TodoPaths {
  readonly folder: string
  readonly master: string
}

interface TodoFile {
  readonly name: string
  readonly content: string
  readonly code?: string | undefined
}

/** A session's brief is stored under this name; a later one replaces it. */
const BRIEF_NAME = 'brief'
const MASTER_FILE = 'master_todo.json'
/** No todo file is this long. */
const MAX_BYTES = 1 << 26

/** Stores the plan as brief (its reference is returned), todo files and the session's own record for people. */
export async function storePlan(
  context: ActivityContext,
  session: Session,
  stages: readonly Stage[],
  brief: Brief,
  approvedBy?: string,
): Promise<string> {
  const steps = stages.flatMap(({ batches }) => batches.flatMap((batch) => batch.steps))
  const files = await writeTodoFiles(context, session, brief, steps)
  for (const { name, content, code } of files) await storeArtifact(context, session.id, 'todo', name, content, code)
  const ref = await storeArtifact(context, session.id, 'todo', BRIEF_NAME, JSON.stringify(brief))
  await context.store.sessions.update(session.id, {
    plan: await context.masking.maskValues(toSessionPlan(stages, brief, approvedBy)),
  })
  return ref
}

/** Makes the files for these steps correct on this host, whatever became of earlier ones. */
export async function ensureTodoFiles(
  context: ActivityContext,
  session: Session,
  briefRef: string | undefined,
  steps: readonly (readonly string[])[],
): Promise<TodoPaths> {
  const brief = briefRef === undefined ? EMPTY_BRIEF : await loadArtifact(context, briefRef, Brief)
  await writeTodoFiles(context, session, brief, steps)
  return todoPaths(context, session)
}

export function todoPaths(
  context: Pick<ActivityContext, 'sessionsFolder'>,
  session: Pick<Session, 'id' | 'settings'>,
): TodoPaths {
  const folder = todoFolder(context, session)
  return { folder, master: join(folder, MASTER_FILE) }
}

async function writeTodoFiles(
  context: ActivityContext,
  session: Session,
  brief: Brief,
  steps: readonly (readonly string[])[],
): Promise<readonly TodoFile[]> {
  const files = buildTodoFiles(context, session, brief, steps)
  const folder = todoFolder(context, session)
  if (getPathKind(folder) !== 'directory') await removePath(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (session.settings.artifacts.todo_files === 'temporary') assertOwnFolder(folder)
  for (const { name, content } of files) {
    const path = join(folder, name)
    const masked = await context.masking.maskText(content)
    if (readRegularFile(path, MAX_BYTES) !== masked) writeFileAtomically(path, masked, 0o600)
  }
  return files
}

function buildTodoFiles(
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

function todoFolder(
  context: Pick<ActivityContext, 'sessionsFolder'>,
  { id, settings }: Pick<Session, 'id' | 'settings'>,
): string {
  const isTemporary = settings.artifacts.todo_files === 'temporary'
  return isTemporary ? temporaryTodoFolder(id) : join(sessionFolder(context, id), todoFolderName(id))
}

/** Anybody may make folders among temporary files, and could then put other todos into this one. */
function assertOwnFolder(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return
  throw ApplicationFailure.nonRetryable(
    `${folder} belongs to somebody else, or others may write into it: remove it, or set artifacts.todo_files to home`,
  )
}

function todoFileName(code: string): string {
  return `fix_todo_${code}.json`
}

function formatJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function toSessionPlan(stages: readonly Stage[], { plans, notes, remarks }: Brief, approved_by?: string): SessionPlan {
  const planned = stages
    .flatMap(listStageCodes)
    .filter((code) => plans[code] !== undefined || notes[code] !== undefined)
  const issues = planned.map((code) => [code, { ...(plans[code] ?? IssuePlan.parse({})), note: notes[code] }])
  return {
    stages: stages.map(({ batches }) => ({
      batches: batches.map((batch) => ({ label: batch.label, steps: batch.steps.map((step) => [...step]) })),
    })),
    issues: Object.fromEntries(issues),
    remarks,
    ...(approved_by === undefined ? {} : { approved_by }),
  }
}
