// Fixer and challenger come from two vendors, so that the second opinion is one. By the models' names, which also hold where a
// gateway serves them; a name that tells nothing counts as the vendor's whose CLI is asked.
import { isChallenged, type Settings } from './schema.ts'

type Vendor = 'Anthropic' | 'Google'

function detectVendor(model: string, cli: Vendor): Vendor {
  if (/claude|opus|sonnet|haiku/i.test(model)) return 'Anthropic'
  return /gemini|gemma/i.test(model) ? 'Google' : cli
}

/** Why these two may not judge each other's work; undefined where they may. */
export function findVendorProblem(settings: Settings): string | undefined {
  const { claude, gemini, fix_challenger } = settings
  if (!isChallenged(settings) || fix_challenger.allow_same_vendor) return undefined
  // Without a list it is the model of the agent's own file, which is the CLI's own vendor's.
  const fixers = claude.models.map((model) => detectVendor(model, 'Anthropic'))
  if (fixers.length === 0) fixers.push('Anthropic')
  const same = gemini.models.find((model) => fixers.includes(detectVendor(model, 'Google')))
  if (same === undefined) return undefined
  return `the challenger's model ${same} comes from the fixer's own vendor, ${detectVendor(same, 'Google')}: give gemini.models one of another, or set fix_challenger.allow_same_vendor`
}
