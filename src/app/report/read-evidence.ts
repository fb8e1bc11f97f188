// What was kept of a session, read back for its report. Artifacts go some days after the session's end, and branches are thrown
// away: what is gone is undefined, never an error.
import { parseReply } from '../../agents/replies/parse-reply.ts'
import { openArtifacts } from '../../artifacts/artifact-store.ts'
import type { FixClaim } from '../../domain/stage/agent-replies.ts'
import { GateEvidence } from '../../domain/verification/compare-runs.ts'
import { GitError } from '../../platform/git/git.ts'
import { type Committed, committed } from '../../platform/git/repository/commit-diff.ts'
import { openMasking } from '../../platform/masking/mask-secrets.ts'
import type { Home } from '../../runtime/home/home.ts'

/** Nobody reads more of one diff, and an agent may have written gigabytes. */
const MOST_BYTES = 1_000_000

export async function keptGate(home: Home, ref: string): Promise<GateEvidence | undefined> {
  const text = await keptWhole(home, ref)
  try {
    return text === undefined ? undefined : GateEvidence.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** What a fixer's reply claims; nothing where it can't be read. */
export async function keptClaims(home: Home, ref: string): Promise<readonly FixClaim[]> {
  const text = await keptWhole(home, ref)
  const reply = text === undefined ? undefined : parseReply('fix', { text })
  return reply?.kind === 'parsed' ? reply.value.results : []
}

/** The beginning of a diff. */
export async function keptDiff({ artifacts }: Home, ref: string): Promise<string | undefined> {
  return await openArtifacts(artifacts)
    .head(ref, MOST_BYTES)
    .catch(() => undefined)
}

async function keptWhole({ artifacts }: Home, ref: string): Promise<string | undefined> {
  return await openArtifacts(artifacts)
    .get(ref)
    .then(String, () => undefined)
}

export async function committedChange(repository: string, commit: string): Promise<Committed | undefined> {
  const change = await committed(repository, commit).catch((error: unknown) => {
    if (error instanceof GitError || error instanceof RangeError) return undefined
    throw error
  })
  // A commit holds what it holds; a report is pasted elsewhere.
  return change && { ...change, diff: await openMasking(process.env).text(change.diff) }
}
