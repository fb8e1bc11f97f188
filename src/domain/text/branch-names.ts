// Branch names made by rules. An agent may propose nicer ones; these always work.

interface NamedIssue {
  readonly issue_code: string
  readonly title: string
}

const SLUG_LENGTH = 50

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

/** Shells and servers' scripts get branch names, so a proposed one may hold only characters that mean nothing to them. */
export function isSafeBranchName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(name)
}

export function formatBranchTaken(branch: string, sessionId: string): string {
  return `session ${sessionId} is committing onto the branch ${branch}: wait until it has ended, or stop it (fixwright cancel ${sessionId})`
}
