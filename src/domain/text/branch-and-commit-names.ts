// Branch names and commit messages made by rules. An agent may propose nicer ones; these always work.

interface NamedIssue {
  readonly issue_code: string
  readonly title: string
}

const SLUG_LENGTH = 50
const SUBJECT_LENGTH = 72

export function toSlug(text: string): string {
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
export function composeBranchName(prefix: string, issues: readonly NamedIssue[]): string {
  const [first] = issues
  if (!first) throw new RangeError('a branch name needs at least one issue')
  const more = issues.length > 1 ? `-and-${issues.length - 1}-more` : ''
  return `${prefix}${toSlug(first.title) || toSlug(first.issue_code) || 'issue'}${more}`
}

export interface CommitTrailers {
  readonly session: string
  readonly codes: readonly string[]
  /** Evidence for the commit, as `Fixwright-Challenged: 97 (gemini-2.5-flash)`; missing proof is stated too. */
  readonly proof: readonly (readonly [name: string, value: string])[]
  /** The person who signs it off: `Ada <ada@example.org>`. */
  readonly signedOffBy?: string | undefined
}

export function composeCommitMessage(
  issues: readonly NamedIssue[],
  trailers: CommitTrailers,
  proposed?: string,
): string {
  return [
    sanitizeMessage(proposed ?? '').trim() || composeDefaultMessage(issues),
    '',
    ...formatTrailers(trailers),
  ].join('\n')
}

function composeDefaultMessage(issues: readonly NamedIssue[]): string {
  const [first] = issues
  if (!first) throw new RangeError('a commit message needs at least one issue')
  const titles = issues.map((issue) => `- ${issue.issue_code}: ${formatTitle(issue)}`)
  return [composeSubject(first, issues), '', ...titles].join('\n')
}

/** Names as many codes as leave room for the title; body and trailers name all. */
function composeSubject(first: NamedIssue, issues: readonly NamedIssue[]): string {
  const more = issues.length > 1 ? ` and ${issues.length - 1} more` : ''
  const codes = issues.map((issue) => issue.issue_code).join(', ')
  const tails = [`${more} (${codes})`, `${more} (${first.issue_code})`]
  const tail = tails.find(({ length }) => length <= SUBJECT_LENGTH / 2) ?? more
  return `fix: ${shorten(formatTitle(first), SUBJECT_LENGTH - 'fix: '.length - tail.length)}${tail}`
}

function formatTitle({ title, issue_code }: NamedIssue): string {
  return toSingleLine(title) || issue_code
}

function formatTrailers({ session, codes, proof, signedOffBy }: CommitTrailers): string[] {
  return [
    ...codes.map((code) => `Fixwright-Issue: ${code}`),
    ...proof.map(([name, value]) => `Fixwright-${name}: ${toSingleLine(value)}`),
    `Fixwright-Session: ${session}`,
    ...(signedOffBy === undefined ? [] : [`Signed-off-by: ${toSingleLine(signedOffBy)}`]),
  ]
}

/** A Fixwright trailer of a commit message. */
export function findTrailer(message: string, name: string): string | undefined {
  const lines = message.trimEnd().split('\n\n').at(-1)?.split('\n') ?? []
  const start = `Fixwright-${name}: `
  return lines.find((line) => line.startsWith(start))?.slice(start.length)
}

function toSingleLine(text: string): string {
  return sanitizeMessage(text).replace(/\s+/g, ' ').trim()
}

/** Removes characters that git refuses, terminals obey or turn a line around, and words that make servers skip checks. */
function sanitizeMessage(text: string): string {
  return text
    .toWellFormed()
    .replace(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu, ' ')
    .replace(/\[((?:skip|no)[ -]\w+|\w+[ -]skip)\]/gi, '($1)')
    .replace(/\*{3}NO_CI\*{3}/gi, 'NO_CI')
}

/** Whether a proposed message has a line that git or a server would read as more than text. */
export function containsTrailers(message: string): boolean {
  return /^[ \t]*(fixwright-|skip-checks|[\w-]+-by[ \t]*:)/im.test(message)
}

/** Shells and servers' scripts get branch names, so a proposed one may hold only characters that mean nothing to them. */
export function isSafeBranchName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(name)
}

/** Counts characters and not code units, so that none is cut in half. */
function shorten(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
}

export function formatBranchTaken(branch: string, sessionId: string): string {
  return `session ${sessionId} is committing onto the branch ${branch}: wait until it has ended, or stop it (fixwright cancel ${sessionId})`
}
