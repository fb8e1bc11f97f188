// Reads from a text of a provider or CLI when it will serve again. Every form here was seen in a public report or in the CLI itself. A
// text that can't be read gives no time, and the caller backs off by its own clock.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
// A time of day that has just passed means that moment, not tomorrow: clocks and the provider's own books lag.
const JUST_PASSED_MS = 3_600_000
const DAY_MS = 86_400_000

/** In milliseconds since the epoch; undefined if the text names no time. */
export function parseResetTime(text: string, now = Date.now()): number | undefined {
  return parseEpoch(text) ?? parseDuration(text, now) ?? parseClockTime(text, now)
}

/** "… limit reached|1749924000" */
function parseEpoch(text: string): number | undefined {
  const [, digits] = /reached\|(\d{10,13})\b/.exec(text) ?? []
  if (digits === undefined) return undefined
  return digits.length > 10 ? Number(digits) : Number(digits) * 1_000
}

/** "retry in 17.5s", "retry after 60s", "reset after 3h20m11s" */
function parseDuration(text: string, now: number): number | undefined {
  const [, spelled] =
    /(?:retry|reset|try again)\w*\s+(?:in|after)\s+((?:\d+(?:\.\d+)?(?:ms|[dhms])\s*)+)/i.exec(text) ?? []
  if (spelled === undefined) return undefined
  let total = 0
  for (const [, amount, unit] of spelled.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/gi)) {
    total += Number(amount) * (UNIT_MS[(unit ?? '').toLowerCase()] ?? 0)
  }
  return now + Math.ceil(total)
}

/** "resets 1:30am (Asia/Dhaka)", "resets Jul 27 at 4:30am (…)", "resets Mar 17, 2030, 5:46pm (UTC)", "will reset at 9:30 AM" */
function parseClockTime(text: string, now: number): number | undefined {
  const match =
    /\bresets?\s+(?:at\s+|on\s+)?(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:,?\s+(\d{4}))?,?\s+(?:at\s+)?)?(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b\.?(?:\s*\(([^)]+)\))?/i.exec(
      text,
    )
  if (!match) return undefined
  const [, monthName, day, year, hours, minutes, half, zone] = match
  const timeOfDay = {
    hour: (Number(hours) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0),
    minute: Number(minutes ?? 0),
  }
  const where = validateTimeZone(zone)
  const today = getDate(now, where)
  if (monthName === undefined) {
    const at = toInstant({ ...today, ...timeOfDay }, where)
    return at < now - JUST_PASSED_MS ? toInstant({ ...getDate(now + DAY_MS, where), ...timeOfDay }, where) : at
  }
  const month = MONTHS.indexOf(monthName.toLowerCase())
  if (month < 0) return undefined
  const at = toInstant({ year: Number(year ?? today.year), month, day: Number(day), ...timeOfDay }, where)
  // "Jan 2" said on Dec 30 is next year's.
  if (year !== undefined || at > now - 180 * DAY_MS) return at
  return toInstant({ year: today.year + 1, month, day: Number(day), ...timeOfDay }, where)
}

interface Day {
  readonly year: number
  /** 0 = January. */
  readonly month: number
  readonly day: number
}

function validateTimeZone(zone: string | undefined): string | undefined {
  try {
    if (zone !== undefined) new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    return undefined
  }
}

function getDate(at: number, timeZone: string | undefined): Day {
  const { year, month, day } = getDateParts(at, timeZone)
  return { year, month, day }
}

/** The instant at which clocks of that zone show this time. The zone's offset is looked up at a first guess, then again there. */
function toInstant(
  wall: Day & { readonly hour: number; readonly minute: number },
  timeZone: string | undefined,
): number {
  const asUtc = Date.UTC(wall.year, wall.month, wall.day, wall.hour, wall.minute)
  const guess = asUtc - getZoneOffset(asUtc, timeZone)
  return asUtc - getZoneOffset(guess, timeZone)
}

function getZoneOffset(at: number, timeZone: string | undefined): number {
  const { year, month, day, hour, minute, second } = getDateParts(at, timeZone)
  return Date.UTC(year, month, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
}

function getDateParts(at: number, timeZone: string | undefined) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const named = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = named
  return { year, month: month - 1, day, hour, minute, second }
}
