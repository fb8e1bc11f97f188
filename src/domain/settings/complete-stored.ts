// Settings are stored with their session, so those of an older version lack what was added since.
import { Profile, type Settings } from './schema.ts'

/**
 * Completes what an earlier version stored: maps are merged, everything else stays as it was, lists whole. What is new has a default
 * that changes nothing.
 */
export function completeSettings(stored: Readonly<Record<string, unknown>>, defaults: Settings): Settings {
  const { profiles, ...settings } = mergeMaps(defaults, stored) as Settings
  const complete = Object.entries(profiles).map(([name, profile]) => [name, { ...PROFILE_DEFAULTS, ...profile }])
  return { ...settings, profiles: Object.fromEntries(complete) }
}

/** What a profile is that does not say otherwise. */
const PROFILE_DEFAULTS = {
  calls: Profile.shape.calls.parse(undefined),
  planner: Profile.shape.planner.parse(undefined),
  challenge: Profile.shape.challenge.parse(undefined),
  strict: Profile.shape.strict.parse(undefined),
}

function mergeMaps(below: unknown, above: unknown): unknown {
  if (!isMap(below)) return above === undefined ? below : above
  if (!isMap(above)) return below
  const names = new Set([...Object.keys(below), ...Object.keys(above)])
  return Object.fromEntries([...names].map((name) => [name, mergeMaps(below[name], above[name])]))
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
