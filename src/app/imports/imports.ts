// Lists imports and tasks, and undoes an import.
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import type { ImportRecord, TaskRecord } from '../../domain/import/import-record.ts'
import type { AppContext } from '../context.ts'

type StoreAccess = Pick<AppContext, 'store'>

/** The newest comes first. */
export async function listImports({ store }: StoreAccess, repositoryId: string): Promise<readonly ImportRecord[]> {
  return await store.imports.list(repositoryId)
}

/** Each import and each review of a session; the newest comes first. */
export async function listTasks({ store }: StoreAccess, repositoryId: string): Promise<TaskRecord[]> {
  return await store.imports.listTasks(repositoryId)
}

export type UndoImportOutcome =
  /** `kept`: the issues that somebody or a session has changed since. */
  { readonly kind: 'undone'; readonly restored: number; readonly kept: number } | Refusal

export async function undoImport({ store }: StoreAccess, importId: string): Promise<UndoImportOutcome> {
  const outcome = await store.imports.undo(importId)
  switch (outcome.kind) {
    case 'undone':
      return outcome
    case 'unknown':
      return refuse(
        'import_not_found',
        `there is no import ${importId}: "fixwright import --list --repo NAME" shows them`,
      )
    case 'undone_before':
      return refuse('import_not_undoable', `import ${importId} was undone before`)
    case 'not_latest':
      return refuse(
        'import_not_undoable',
        `import ${outcome.by} came after ${importId} and knows its issues: undo that one first`,
      )
  }
}

function refuse(code: Refusal['code'], problem: string): Refusal {
  return { kind: 'refused', code, problems: [problem] }
}
