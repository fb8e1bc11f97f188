// The issues that a report is compared with.
import type { Selectable } from 'kysely'
import { type ImportRecord, IssueOrigin, type KnownIssue } from '../../../domain/import/import-record.ts'
import { IssueRecord } from '../../../domain/session/store-records.ts'
import { selectIssues } from '../issues.ts'
import { fromRow } from '../row-mapping.ts'
import type { StoreContext, Tables } from '../tables.ts'

type Scope = Pick<ImportRecord, 'repository_id' | 'tools' | 'category'>

/** Those of the same tools and the same category. */
export async function loadKnownIssues(db: StoreContext['db'], scope: Scope): Promise<KnownIssue[]> {
  if (scope.tools.length === 0) return []
  return (await selectOfScope(db, scope).orderBy('issues.issue_id').execute()).map(toKnown)
}

/** The commits that decide what becomes of a known issue that is found again. */
export async function listCommitsOfKnown(db: StoreContext['db'], scope: Scope): Promise<string[]> {
  if (scope.tools.length === 0) return []
  const commits = ['issues.fix_commit_sha', 'seen.commit_sha as seen', 'closing.commit_sha as closed'] as const
  const rows = await selectOfScope(db, scope).clearSelect().select(commits).distinct().execute()
  return [...new Set(rows.flatMap((row) => Object.values(row).flatMap((commit) => commit ?? [])))]
}

function selectOfScope(db: StoreContext['db'], { repository_id, tools, category }: Scope) {
  return selectKnown(db, repository_id)
    .where('issue_origins.tool', 'in', tools)
    .where('issue_origins.category', '=', category)
}

/** Those of other tools that could be the same as a new one. */
export async function loadOtherIssues(db: StoreContext['db'], { repository_id, tools }: Scope): Promise<KnownIssue[]> {
  let query = selectKnown(db, repository_id).where('issue_origins.weaknesses', '!=', '[]')
  // A report of several tools may repeat what one of them has reported before.
  if (tools.length === 1) query = query.where('issue_origins.tool', 'not in', tools)
  return (await query.orderBy('issues.issue_id').execute()).map(toKnown)
}

const ORIGIN_COLUMNS = [
  ...(['tool', 'rule', 'fingerprint', 'code_hash', 'tool_id'] as const),
  ...(['weaknesses', 'issue_origins.import_id', 'matched_by', 'closed_by'] as const),
  'issue_origins.category as scope',
] as const

function selectKnown(db: StoreContext['db'], repositoryId: string) {
  return selectIssues(db)
    .innerJoin('issue_origins', 'issue_origins.issue_id', 'issues.issue_id')
    .leftJoin('imports as seen', (join) =>
      join.onRef('seen.import_id', '=', 'issue_origins.import_id').on('seen.undone_at', 'is', null),
    )
    .leftJoin('imports as closing', 'closing.import_id', 'issue_origins.closed_by')
    .select(ORIGIN_COLUMNS)
    .select(['seen.commit_sha as seen_commit', 'closing.commit_sha as closed_commit'])
    .where('issues.repository_id', '=', repositoryId)
}

type KnownRow = Selectable<Tables['issues']> &
  Omit<Selectable<Tables['issue_origins']>, 'category' | 'issue_id'> & {
    scope: string
    repository: string
    seen_commit: string | null
    closed_commit: string | null
  }

function toKnown(row: KnownRow): KnownIssue {
  return {
    issue: fromRow(IssueRecord, row),
    origin: fromRow(IssueOrigin, { ...row, category: row.scope }),
    seen_commit: row.seen_commit ?? undefined,
    closed_commit: row.closed_commit ?? undefined,
  }
}
