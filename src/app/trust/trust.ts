// Records and revokes an operator's trust. An agent can do neither: everything it runs carries the marker of its call.
import { resolve } from 'node:path'
import { FixwrightError, RefusedError } from '../../domain/errors/fixwright-error.ts'
import { type RepositoryRequirement, RequirementKind } from '../../domain/settings/repository-requirements.ts'
import { hashBytes, listTrust, recordTrust, revokeTrust, type TrustRecord } from '../../runtime/settings/trust-store.ts'
import type { HomeContext } from '../context.ts'
import { findRepositoryRoot } from '../find-repository.ts'
import type { PreviewedFile } from './trust-preview.ts'

export { formatTrustCommand } from '../../preflight/read-repository.ts'
export type { TrustRecord } from '../../runtime/settings/trust-store.ts'

export const REQUIREMENT_KINDS = RequirementKind.options

export function assertNotAnAgent({ env }: Pick<HomeContext, 'env'>): void {
  if (env.FIXWRIGHT_CALL)
    throw new FixwrightError('forbidden_to_agents', 'nothing was changed: an agent can trust nothing')
}

export function listTrusted({ home }: HomeContext): readonly TrustRecord[] {
  return listTrust(home)
}

/** Trusts exactly the bytes that were shown. */
export function trustFile(context: HomeContext, root: string, { bytes, problems }: PreviewedFile): void {
  assertNotAnAgent(context)
  if (problems.length > 0) throw new RefusedError('not_trustable', problems)
  recordTrust(context.home, root, { bytes, needs: [] })
}

/** Records that the repository's sessions go on without these needs. */
export function acceptWithout(context: HomeContext, root: string, needs: readonly RepositoryRequirement[]): void {
  assertNotAnAgent(context)
  recordTrust(context.home, root, { needs })
}

/** Also accepts a repository that no longer exists. */
export function revokeAllTrust(context: HomeContext, typed: string): { readonly root: string; readonly had: boolean } {
  assertNotAnAgent(context)
  const root = resolveRootOrPath(typed)
  return { root, had: revokeTrust(context.home, root) }
}

/** The short hash that people see for the content. */
export function formatContentHash({ bytes }: Pick<PreviewedFile, 'bytes'>): string {
  return hashBytes(bytes).slice(0, 10)
}

function resolveRootOrPath(typed: string): string {
  try {
    return findRepositoryRoot(typed)
  } catch {
    return resolve(typed)
  }
}
