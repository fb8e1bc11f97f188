// The words of git that rules make: branch names and commit messages. An agent may propose nicer ones; these always work.

interface Named {
  readonly issue_code: string
  readonly title: string
}

const SLUG_LENGTH = 50
const SUBJECT_LENGTH = 72

export function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (plain.length <= SLUG_LENGTH) return plain
  const cut = plain.slice(0, SLUG_LENGTH + 1)
  const dash = cut.lastIndexOf('-')
  return dash > SLUG_LENGTH / 2 ? cut.slice(0, dash) : plain.slice(0, SLUG_LENGTH)
}

/** `fix/missing-null-check-and-2-more` */
export function branchName(prefix: string, issues: readonly Named[]): string {
  const [first] = issues
  if (!first) throw new RangeError('a branch name needs at least one issue')
  const more = issues.length > 1 ? `-and-${issues.length - 1}-more` : ''
  return `${prefix}${slugOf(first.title) || slugOf(first.issue_code) || 'issue'}${more}`
}

export interface Trailers {
  readonly session: string
  readonly codes: readonly string[]
  /** What vouches for the commit, as `Fixwright-Challenged: 97 (gemini-2.5-flash)`; missing proof is said, too. */
  readonly proof: readonly (readonly [name: string, value: string])[]
}

export function commitMessage(issues: readonly Named[], trailers: Trailers, proposed?: string): string {
  return [proposed?.trim() || rulesMessage(issues), '', ...trailerLines(trailers)].join('\n')
}

function rulesMessage(issues: readonly Named[]): string {
  const [first] = issues
  if (!first) throw new RangeError('a commit message needs at least one issue')
  const more = issues.length > 1 ? ` and ${issues.length - 1} more` : ''
  const codes = issues.map((issue) => issue.issue_code)
  const list = codes.join(', ').length <= 30 ? codes.join(', ') : `${codes[0]} and ${codes.length - 1} more`
  const tail = `${more} (${list})`
  const room = Math.max(SUBJECT_LENGTH - 'fix: '.length - tail.length, 16)
  const subject = `fix: ${shorten(oneLine(first.title), room)}${tail}`
  return [subject, '', ...issues.map((issue) => `- ${issue.issue_code}: ${oneLine(issue.title)}`)].join('\n')
}

function trailerLines({ session, codes, proof }: Trailers): string[] {
  return [
    ...codes.map((code) => `Fixwright-Issue: ${code}`),
    ...proof.map(([name, value]) => `Fixwright-${name}: ${oneLine(value)}`),
    `Fixwright-Session: ${session}`,
  ]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`
}
