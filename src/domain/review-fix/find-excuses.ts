/** Reasons that a person should read twice: each is more often a preference than an obstacle. They reject nothing. */
const EXCUSES: Readonly<Record<string, RegExp>> = {
  'out of scope':
    /\b(?:out(?:side)?[ -]of[ -](?:the )?scope|beyond (?:the|this) scope|outside (?:the|this|my) scope)\b/i,
  'pre-existing': /\b(?:pre-?existing|existed before|already (?:there|present) before|legacy (?:code|issue))\b/i,
  'too complex': /\b(?:too (?:complex|complicated|large|big|invasive|risky)|major refactor(?:ing)?)\b/i,
  'not my change':
    /\b(?:not (?:my|our|from (?:my|this)) (?:change|code|fault|responsibility)|unrelated to (?:my|this|the) change)\b/i,
  'takes too long':
    /\b(?:(?:takes?|would take|need(?:s|ed)?) (?:too (?:long|much time)|(?:much )?more time)|time[- ]consuming|no time)\b/i,
}

export function findExcuses(explanation: string): string[] {
  return Object.entries(EXCUSES).flatMap(([name, words]) => (words.test(explanation) ? [name] : []))
}
