// Fixer and challenger come from two vendors, for an independent second opinion. A model's name tells its vendor, even behind a
// gateway; an unknown name counts as the CLI's own vendor.
import { isChallenged, type Settings } from './schema.ts'

type Vendor = 'Anthropic' | 'Google'

export function detectVendor(model: string, cli: Vendor): Vendor {
  if (/claude|opus|sonnet|haiku/i.test(model)) return 'Anthropic'
  return /gemini|gemma/i.test(model) ? 'Google' : cli
}

/** The reason why the challenger may not review the fixer's work; undefined if it may. */
export function findVendorProblem(settings: Settings): string | undefined {
  const { claude, gemini, fix_challenger } = settings
  if (!isChallenged(settings) || fix_challenger.allow_same_vendor) return undefined
  // Without a list the agent file names the model, which is of the CLI's own vendor.
  const fixers = claude.models.map((model) => detectVendor(model, 'Anthropic'))
  if (fixers.length === 0) fixers.push('Anthropic')
  const same = gemini.models.find((model) => fixers.includes(detectVendor(model, 'Google')))
  if (same === undefined) return undefined
  return `the challenger's model ${same} comes from the fixer's own vendor, ${detectVendor(same, 'Google')}: give gemini.models one of another, or set fix_challenger.allow_same_vendor`
}

/** The reason why two votes by these settings would be those of one vendor. */
export function findVoterVendorProblem({ votes }: Pick<Settings, 'votes'>): string | undefined {
  const vendors = votes.claude_models.map((model) => detectVendor(model, 'Anthropic'))
  const same = votes.gemini_models.find((model) => vendors.includes(detectVendor(model, 'Google')))
  if (same === undefined) return undefined
  return `both voters have models of one vendor, ${detectVendor(same, 'Google')}: give votes.claude_models and votes.gemini_models models of two`
}
