// A snapshot with its metadata, which is its commit's message: a retried activity finds both or neither.
import type { OutsideFile } from '../../domain/people/validate-messages.ts'
import type { FixWork, IssueWork } from '../../domain/protocol/index.ts'
import { filterFilesToAskAbout } from '../../domain/scope/check-scope.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { countOwnedPaths, listOwnerSets } from '../../domain/stage/change-owners.ts'
import { SnapshotMetadata } from '../../domain/stage/snapshot-metadata.ts'
import { truncateText } from '../../domain/text/truncate.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import { readSnapshot, type Snapshot } from '../../platform/git/workspace/snapshot-and-reset.ts'

export interface ParsedSnapshot extends Omit<Snapshot, 'message'> {
  readonly metadata: SnapshotMetadata
}

export function parseSnapshot({ message, ...taken }: Snapshot): ParsedSnapshot {
  return { ...taken, metadata: SnapshotMetadata.parse(JSON.parse(message)) }
}

export async function findSnapshot(workspace: Workspace, name: string): Promise<ParsedSnapshot | undefined> {
  const found = await readSnapshot(workspace, name)
  return found && parseSnapshot(found)
}

export async function loadSnapshot(workspace: Workspace, name: string): Promise<ParsedSnapshot> {
  const found = await findSnapshot(workspace, name)
  if (found) return found
  throw new Error(`there is no snapshot ${name} in ${workspace.directory}`)
}

export function filesNeedingApproval({ outside = [], owners, outOfScope }: SnapshotMetadata): readonly OutsideFile[] {
  return filterFilesToAskAbout(outside, owners, outOfScope)
}

/** The summary of a snapshot for the history: counts, and a short text for issues without changes. */
export function toFixWork(snapshotName: string, codes: readonly string[], { tree, metadata }: ParsedSnapshot): FixWork {
  const all = new Set([...codes, ...Object.values(metadata.owners).flat()])
  const issues = [...all].map((code): [string, IssueWork] => {
    const claim = metadata.claims[code]
    const files = countOwnedPaths(metadata.owners, code)
    return [code, files === 0 && claim ? { files, ...describeUnchanged(claim) } : { files }]
  })
  const asking = [...new Set(filesNeedingApproval(metadata).flatMap((file) => file.codes))].sort()
  return {
    snapshot: snapshotName,
    tree,
    owners: listOwnerSets(metadata.owners),
    outOfScope: metadata.outOfScope,
    ...(asking.length > 0 ? { needsApproval: asking } : {}),
    violations: metadata.violations.slice(0, 10).map((violation) => violation.slice(0, 200)),
    issues: Object.fromEntries(issues),
  }
}

/** The claim about an issue without changes. A false-positive claim counts only with a reason. */
function describeUnchanged({ status, changes_summary }: FixClaim): Omit<IssueWork, 'files'> {
  const reason = changes_summary.trim()
  if (status === 'false_positive' && reason !== '') return { claim: status, message: truncateReason(reason) }
  const text = reason === '' ? missingReasonText(status) : `${status}: ${reason}`
  return { message: truncateReason(`no changes applied (${text})`) }
}

function missingReasonText(status: FixClaim['status']): string {
  return status === 'false_positive'
    ? 'a false positive without a reason: nobody was asked to agree'
    : `${status}, without a reason`
}

function truncateReason(text: string): string {
  return truncateText(text, 300)
}
