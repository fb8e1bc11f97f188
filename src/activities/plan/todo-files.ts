// The todo files: what is to be done, in which steps, and what is known about each issue besides. They are written from the
// session's brief, so any host can write them again, into a folder of the session outside of the clone that goes when it ends.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Brief, type Clarification, EMPTY_BRIEF, IssuePlan } from '../../domain/plan/brief.ts'
import type { IssueRecord } from '../../domain/session/records.ts'
import { kindOf, readPlain, removeAll, writeWhole } from '../../platform/git/files.ts'
import { folderOf, issueOf, type Session, type Workshop } from '../context.ts'

export interface TodoFiles {
  readonly folder: string
  readonly master: string
}

export interface TodoFile {
  readonly name: string
  readonly content: string
  readonly code?: string | undefined
}

const MASTER = 'master_todo.json'
/** More than any of these files has. */
const MOST_BYTES = 1 << 26

export async function readBrief({ artifacts }: Workshop, ref: string): Promise<Brief> {
  return Brief.parse(JSON.parse((await artifacts.get(ref)).toString()))
}

/** Sees to it that the files for these steps are on this host as they should be, whatever became of those that were written before. */
export async function ensureTodo(
  shop: Workshop,
  session: Session,
  briefRef: string | undefined,
  steps: readonly (readonly string[])[],
): Promise<TodoFiles> {
  const brief = briefRef === undefined ? EMPTY_BRIEF : await readBrief(shop, briefRef)
  await writeTodo(shop, session, todoFiles(shop, session, brief, steps))
  return todoPlace(shop, session)
}

export function todoPlace(shop: Pick<Workshop, 'sessions'>, session: Pick<Session, 'id'>): TodoFiles {
  const folder = todoFolder(shop, session)
  return { folder, master: join(folder, MASTER) }
}

export async function writeTodo(shop: Workshop, session: Session, files: readonly TodoFile[]): Promise<void> {
  const folder = todoFolder(shop, session)
  if (kindOf(folder) !== 'directory') await removeAll(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const { name, content } of files) {
    const path = join(folder, name)
    const told = await shop.masking.text(content)
    if (readPlain(path, MOST_BYTES) !== told) writeWhole(path, told, 0o600)
  }
}

export function todoFiles(
  shop: Workshop,
  session: Session,
  brief: Brief,
  steps: readonly (readonly string[])[],
): TodoFile[] {
  const folder = todoFolder(shop, session)
  const master = {
    session_id: session.id,
    execution_steps: steps.map((codes, index) => ({
      step: index + 1,
      mode: codes.length > 1 ? 'parallel' : 'serial',
      issues: codes.map((code) => ({ code, file: issueOf(session, code).file, todo: join(folder, nameFor(code)) })),
    })),
  }
  const issues = steps.flat().map((code): TodoFile => {
    const content = text(issueTodo(issueOf(session, code), brief))
    return { name: nameFor(code), content, code }
  })
  return [{ name: MASTER, content: text(master) }, ...issues]
}

function issueTodo(issue: IssueRecord, { clarifications, plans, notes }: Brief): object {
  const { issue_code: code, title, file, line, description, suggested_fix, severity, category } = issue
  const { context, ...plan } = plans[code] ?? IssuePlan.parse({})
  return {
    issue: { code, title, file, line, description, suggested_fix, severity, category },
    clarifications: clarifications.filter((each) => isFor(each, code)).map(shown),
    context,
    plan,
    ...(notes[code] === undefined ? {} : { note: notes[code] }),
  }
}

/** Answers stand only with the issue they belong to, those to questions about everything with all. */
function isFor({ issue_code }: Clarification, code: string): boolean {
  return issue_code === undefined || issue_code === code
}

function shown({ id, question, context, answer }: Clarification): object {
  return { id, question, context, answer }
}

function todoFolder(shop: Pick<Workshop, 'sessions'>, { id }: Pick<Session, 'id'>): string {
  return join(folderOf(shop, id), `fix_session_${id}`)
}

function nameFor(code: string): string {
  return `fix_todo_${code}.json`
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
