// What was kept of a session, read back for its report. Artifacts go some days after the session's end, and branches are thrown
// away: what is gone is undefined, never an error.

import { parseReply } from '../../agents/replies/parse-reply.ts'
import { openArtifactStore } from '../../artifacts/open-artifact-store.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { GateRecord } from '../../domain/verification/gate-record.ts'
import { GitError } from '../../platform/git/git.ts'
import { type CommitContent, readCommitContent } from '../../platform/git/repository/commit-diff.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { Home } from '../../runtime/home/home.ts'

/** Nobody reads more of one diff, and an agent may have written gigabytes. */
const MAX_DIFF_BYTES = 1_000_000

export async function readGateEvidence(home: Home, ref: string): Promise<GateRecord | undefined> {
  const text = await readArtifactText(home, ref)
  try {
    return text === undefined ? undefined : GateRecord.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** What a fixer's reply claims; nothing where it can't be read. */
export async function readFixClaims(home: Home, ref: string): Promise<readonly FixClaim[]> {
  const text = await readArtifactText(home, ref)
  const reply = text === undefined ? undefined : parseReply('fix', { text })
  return reply?.kind === 'parsed' ? reply.value.results : []
}

/** The beginning of a diff. */
export async function readStoredDiff({ artifacts }: Home, ref: string): Promise<string | undefined> {
  return await openArtifactStore(artifacts)
    .head(ref, MAX_DIFF_BYTES)
    .catch(() => undefined)
}

async function readArtifactText({ artifacts }: Home, ref: string): Promise<string | undefined> {
  return await openArtifactStore(artifacts)
    .getText(ref)
    .catch(() => undefined)
}

export async function readMaskedCommit(repository: string, commit: string): Promise<CommitContent | undefined> {
  const change = await readCommitContent(repository, commit).catch((error: unknown) => {
    if (error instanceof GitError || error instanceof RangeError) return undefined
    throw error
  })
  // A commit holds what it holds; a report is pasted elsewhere.
  return change && { ...change, diff: await createMasking(process.env).maskText(change.diff) }
}
