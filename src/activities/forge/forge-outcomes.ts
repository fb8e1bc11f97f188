// Turns what a forge answers into the outcomes that a workflow decides by.
import { FixwrightError } from '../../domain/errors/fixwright-error.ts'
import type { ForgeOutcome, ForgeWork } from '../../domain/workflow-types/index.ts'
import { type Forge, type ForgeApi, ForgeError } from '../../integrations/forge/forge.ts'
import { openForge } from '../../integrations/forge/open-forge.ts'
import type { ActivityContext } from '../context.ts'

const DEFAULT_LIMIT_MS = 60_000

export async function openSessionForge(
  { environment }: ActivityContext,
  { remote, github }: Pick<ForgeWork, 'remote' | 'github'>,
): Promise<Forge> {
  return await openForge(remote, { settings: github, env: environment })
}

export async function openForgeApi(
  context: ActivityContext,
  work: Pick<ForgeWork, 'remote' | 'github'>,
): Promise<ForgeApi> {
  const { name, api } = await openSessionForge(context, work)
  if (api === undefined) throw new FixwrightError('forge_refused', `${name} has git and nothing else`)
  return api
}

/** A read that got no answer fails, so that it is tried again; a write that got none is lost. */
export async function toForgeOutcome<T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<ForgeOutcome<T>> {
  try {
    return { kind: 'done', value: await work() }
  } catch (error) {
    if (error instanceof FixwrightError) return { kind: 'refused', code: error.code, detail: error.message }
    if (!(error instanceof ForgeError)) throw error
    const { message: detail, needs, until = Date.now() + DEFAULT_LIMIT_MS } = error
    if (error.kind === 'limited') return { kind: 'limited', until, detail }
    if (error.kind === 'unauthorised') return { kind: 'refused', code: 'forge_not_signed_in', detail }
    if (error.kind === 'lost') {
      if (kind === 'read') throw error
      return { kind: 'lost', detail }
    }
    const help = needs === undefined ? '' : `; the credential would need ${needs}`
    return { kind: 'refused', code: 'forge_refused', detail: `${detail}${help}` }
  }
}
