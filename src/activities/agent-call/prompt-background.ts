// The background of a session's prompts: the project's conventions, the review that the issues come from, and the base.
import type { PromptFrame } from '../../agents/prompts/render.ts'
import { parseOrigin } from '../../domain/session/origin.ts'
import type { Workspace } from '../../platform/git/workspace/object-store.ts'
import type { ActivityContext, Session } from '../context.ts'
import { loadConventions } from './repository-conventions.ts'

export interface PromptBackground {
  readonly conventions?: string | undefined
  readonly review?: string | undefined
}

export async function loadPromptBackground(
  { artifacts }: Pick<ActivityContext, 'artifacts'>,
  { record }: Session,
  workspace: Pick<Workspace, 'gitDir' | 'base'>,
): Promise<PromptBackground> {
  const { review } = parseOrigin(record)
  const [conventions, reviewText] = await Promise.all([
    loadConventions(workspace),
    review === undefined ? undefined : artifacts.getText(review),
  ])
  return { conventions, review: reviewText }
}

export function buildPromptFrame({ record, settings }: Session): Pick<PromptFrame, 'base' | 'against' | 'limits'> {
  const { base_name: base, against } = parseOrigin(record)
  return { base, against: against?.name, limits: { whole: settings.limits.max_prompt_characters } }
}
