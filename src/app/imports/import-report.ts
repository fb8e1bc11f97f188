// Takes a report of any tool into the store: its findings become issues, or are recognised as those that are there.
import { randomBytes } from 'node:crypto'
import { type Refusal, toRefusal } from '../../domain/errors/fixwright-error.ts'
import {
  type FoundResult,
  type ImportCounts,
  type ImportRecord,
  toImportId,
} from '../../domain/import/import-record.ts'
import type { ImportScope } from '../../domain/import/plan-import.ts'
import { REVIEW_TOOL, toReviewFound } from '../../domain/review/to-imported-finding.ts'
import type { FindingOrigin, ImportSummary } from '../../integrations/importers/import-findings.ts'
import { isAncestor } from '../../platform/git/workspace/commits.ts'
import { createMasking, type Masking } from '../../platform/masking/mask-secrets.ts'
import { applySeverityMap, type FindingsInput, readFindings } from '../../preflight/read-findings.ts'
import { type LocatedRepository, locateRepository } from '../../preflight/read-repository.ts'
import type { NewImport } from '../../store/imports.ts'
import type { AppContext } from '../context.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'
import { addRepository, findRepository } from '../repositories/repositories.ts'
import { loadOwnSettings } from '../settings/load-settings.ts'

type ImportContext = Pick<AppContext, 'store' | 'home' | 'env' | 'flags' | 'sender'>

export { FINDINGS_FORMATS } from '../../integrations/importers/read-report.ts'

export interface ImportRequest {
  readonly report: FindingsInput
  readonly format?: string | undefined
  /** By name, id or folder. A folder that is new is registered, unless this is a preview. */
  readonly repository: string
  /** The commit that the report is about. Default: the repository's base. */
  readonly base?: string | undefined
  /** Tells apart reports of one tool about different things: only those of one category replace each other. */
  readonly category?: string | undefined
  /** A report without findings closes all issues of its tools only if this is set. */
  readonly allowEmpty?: boolean | undefined
  /** Only counts. */
  readonly preview?: boolean | undefined
}

export type ReportImportOutcome =
  | { readonly kind: 'previewed'; readonly counts: ImportCounts; readonly notice: string | undefined }
  | { readonly kind: 'imported'; readonly import: ImportRecord }
  | Refusal

export async function importReport(app: ImportContext, request: ImportRequest): Promise<ReportImportOutcome> {
  const known = await findRepository(app, request.repository)
  const located = await locateRepository({ repository: known?.path ?? request.repository, base: request.base })
  if (located.kind === 'refused') return refuse('repository_unusable', located.problem)
  const { root } = located.repository
  const read = await readFindings(
    { findings: request.report, format: request.format },
    { root, commit: located.commit },
  )
  if (read.kind === 'unreadable') return refuse(read.code, read.problem)
  const invalid = toRefusal({ findings_invalid: read.problems })
  if (invalid) return invalid

  const masking = createMasking(app.env)
  const { severity_map } = (await loadOwnSettings(app)).importers
  const mapped = applySeverityMap(read.chosen, severity_map)
  const open = read.chosen.map(({ origin }, index): FoundResult => toFound(mapped[index]!, origin, 'open'))
  const set = read.others.map(({ finding, origin, status }) => toFound(finding, origin, status))
  const registered = known ?? (await register(app, root, request.preview))
  if ('kind' in registered) return registered
  const draft = {
    import_id: toImportId(randomBytes(8)),
    repository_id: registered.repository_id,
    category: request.category ?? '',
    format: read.summary?.format ?? 'fixwright',
    tools: read.summary ? [...read.summary.ran] : [REVIEW_TOOL],
    commit_sha: located.commit,
    notice: read.notice,
    imported_by: app.sender.by,
    found: await keepKnownIds(app, registered.repository_id, await maskFound([...open, ...set], masking)),
  }
  const commits = await app.store.imports.listKnownCommits(draft)
  const contained = await listContained(located, commits)
  const scope = toScope(read.summary, open, { allowEmpty: request.allowEmpty ?? false, contained })
  const whole: Omit<NewImport, 'report_ref'> = { ...draft, scope }
  if (request.preview) {
    return {
      kind: 'previewed',
      counts: await app.store.imports.preview({ ...whole, report_ref: '' }),
      notice: read.notice,
    }
  }
  const { ref } = await openHomeArtifacts(app).put(await masking.maskText(read.text))
  return { kind: 'imported', import: await app.store.imports.apply({ ...whole, report_ref: ref }) }
}

/** The tool of our own SARIF. */
const OWN_TOOL = 'fixwright'

function toFound(
  finding: FoundResult['finding'],
  origin: FindingOrigin | undefined,
  status: FoundResult['status'],
): FoundResult {
  if (!origin) return toReviewFound(finding, status)
  const { tool, rule, fingerprint, codeHash: code_hash, toolId: tool_id, weaknesses, issueId: issue_id } = origin
  return {
    finding,
    origin: { tool, rule, fingerprint, code_hash, tool_id, weaknesses: [...weaknesses] },
    status,
    issue_id,
  }
}

/** Files and codes stay as they are. */
async function maskFound(found: readonly FoundResult[], masking: Masking): Promise<FoundResult[]> {
  const masked = await masking.maskValues(found.map(({ finding }) => finding))
  return found.map((each, index) => {
    const { issue_code, file } = each.finding
    return { ...each, finding: { ...(masked[index] ?? each.finding), issue_code, file } }
  })
}

/** A report of ours may come from another home, or name an issue of another repository. */
async function keepKnownIds(
  { store }: ImportContext,
  repositoryId: string,
  found: readonly FoundResult[],
): Promise<FoundResult[]> {
  const kept: FoundResult[] = []
  for (const { issue_id, ...each } of found) {
    const issue = issue_id === undefined ? undefined : await store.issues.get(issue_id)
    kept.push(issue?.repository_id === repositoryId ? { ...each, issue_id } : each)
  }
  return kept
}

async function register(
  app: ImportContext,
  folder: string,
  isPreview = false,
): Promise<{ readonly repository_id: string } | Refusal> {
  if (isPreview) return { repository_id: '' }
  const added = await addRepository(app, { folder })
  return added.kind === 'refused' ? added : { repository_id: added.repository.repository_id }
}

async function listContained(
  { repository: { root }, commit }: LocatedRepository,
  commits: readonly string[],
): Promise<ReadonlySet<string>> {
  const contained = new Set<string>()
  for (const each of commits) if (await isAncestor(root, each, commit)) contained.add(each)
  return contained
}

interface ScopeFacts {
  readonly allowEmpty: boolean
  readonly contained: ReadonlySet<string>
}

/** Only a run that succeeded and looked at everything shows that a finding is gone. A review and a report of ours never do. */
function toScope(
  summary: ImportSummary | undefined,
  open: readonly FoundResult[],
  { allowEmpty, contained }: ScopeFacts,
): ImportScope {
  const found = new Set(open.map(({ origin }) => origin.tool))
  const isWhole = summary !== undefined && summary.incomplete.length === 0
  // What was skipped may be an issue that is known, unless the report says which files it is about.
  const skipped = new Set(summary?.covered ? [] : summary?.skippedTools)
  const wholeTools = isWhole
    ? summary.ran.filter((tool) => tool !== OWN_TOOL && !skipped.has(tool) && (allowEmpty || found.has(tool)))
    : []
  return {
    wholeTools: new Set(wholeTools),
    covered: summary?.covered && new Set(summary.covered),
    contains: (commit) => contained.has(commit),
  }
}

function refuse(code: Refusal['code'], ...problems: readonly string[]): Refusal {
  return { kind: 'refused', code, problems }
}
