// Reads the artifacts and commits of a session for its report. Artifacts are deleted some days after the session's end,
// and branches disappear, so missing evidence is undefined and never an error.

import { validateReply } from '../../agents/replies/validate-reply.ts'
import type { FixClaim } from '../../domain/stage/reply-schemas.ts'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
import { GateRecord } from '../../domain/verification/gate-record.ts'
import { GitError } from '../../platform/git/git.ts'
import { type CommitContent, readCommitContent } from '../../platform/git/repository/commit-log.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import type { Home } from '../../runtime/home/home.ts'
import { openHomeArtifacts } from '../open-artifacts.ts'

/** Limits the memory for one diff: an agent may have written gigabytes, and nobody reads more than this. */
const MAX_DIFF_BYTES = 1_000_000

export async function readGateEvidence(home: Home, ref: string): Promise<GateRecord | undefined> {
  const text = await readArtifactText(home, ref)
  return text === undefined ? undefined : GateRecord.safeParse(parseJsonIfValid(text)).data
}

/** Reads the claims of a fixer's reply; empty if the reply is unreadable. */
export async function readFixClaims(home: Home, ref: string): Promise<readonly FixClaim[]> {
  const text = await readArtifactText(home, ref)
  const reply = text === undefined ? undefined : validateReply('fix', { text })
  return reply?.kind === 'valid' ? reply.value.results : []
}

/** Reads the first `MAX_DIFF_BYTES` of a diff. */
export async function readStoredDiff(home: Home, ref: string): Promise<string | undefined> {
  return await openHomeArtifacts({ home })
    .head(ref, MAX_DIFF_BYTES)
    .catch(() => undefined)
}

async function readArtifactText(home: Home, ref: string): Promise<string | undefined> {
  return await openHomeArtifacts({ home })
    .getText(ref)
    .catch(() => undefined)
}

export async function readMaskedCommit(repository: string, commit: string): Promise<CommitContent | undefined> {
  const change = await readCommitContent(repository, commit).catch((error: unknown) => {
    if (error instanceof GitError || error instanceof RangeError) return undefined
    throw error
  })
  // A commit may hold secrets, and a report is pasted elsewhere.
  return change && { ...change, diff: await createMasking(process.env).maskText(change.diff) }
}
