// How many lanes a session gets: what was asked for, or what the machine bears, and never more than calls may run at once.
import { getProfile, type Profile, type Settings } from '../settings/schema.ts'

export interface Machine {
  readonly cores: number
  readonly memoryMegabytes: number
}

const MOST_AUTOMATIC_LANES = 4
/** What an agent's CLI and the checks beside it take. */
const MEGABYTES_PER_LANE = 700

export function countLanes(settings: Settings, { cores, memoryMegabytes }: Machine): number {
  const asked = readLanes(settings)
  if (!allowsLanes(settings)) return 1
  const automatic = Math.min(MOST_AUTOMATIC_LANES, cores * 2, Math.floor(memoryMegabytes / MEGABYTES_PER_LANE))
  const wanted = asked === 'auto' ? automatic : asked
  return Math.max(Math.min(wanted, settings.worker.max_parallel_calls), 1)
}

export function wantsLanes(settings: Settings): boolean {
  return readLanes(settings) !== 1
}

/** Sessions that began before there were lanes have no such settings. */
function readLanes(settings: Settings): Profile['lanes'] {
  const limits: Partial<Settings['limits']> = settings.limits
  const profile: Partial<Profile> = getProfile(settings)
  return limits.lanes ?? profile.lanes ?? 1
}

/** Only batches that are gated and committed one by one can be at work side by side. */
export function allowsLanes(settings: Settings): boolean {
  const { stage, calls } = getProfile(settings)
  return stage === 'batch' && calls === 'batched'
}
