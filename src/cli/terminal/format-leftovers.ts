import type { SessionLeftovers } from '../../app/list-leftovers.ts'

export function formatLeftovers({ counts, leftovers }: SessionLeftovers): string[] {
  const { total, fixed, blocked, deferred, untried, dismissed } = counts
  return [
    `${total} finding(s): ${fixed} fixed, ${blocked} blocked, ${deferred} deferred, ${untried} untried, ${dismissed} dismissed`,
    ...leftovers.flatMap(({ id, status, severity, issue }) => [
      '',
      `${id} ${status} · ${severity} · would be created as: ${issue.title}`,
      ...issue.body.split('\n').map((line) => `    ${line}`),
    ]),
  ]
}
