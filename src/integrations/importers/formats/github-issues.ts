// Issues of GitHub, as its API lists them: each becomes a finding at the first place that its text names. Comments are no part of it: anybody
// may write them.
import { z } from 'zod'
import { findCategory } from '../find-category.ts'
import type { Importer, ReportedPlace, ResultStatus } from '../importer.ts'
import { isListWith, lenientList, optional, parseWithSchema } from '../parse-with-schema.ts'
import { lookUpSeverity, type SeverityTable } from '../severity-table.ts'

const GithubIssues = z.array(
  z.object({
    number: z.number(),
    title: z.string(),
    body: optional(z.string()),
    state: optional(z.string()),
    state_reason: optional(z.string()),
    html_url: optional(z.string()),
    labels: lenientList(z.union([z.string(), z.object({ name: optional(z.string()) })])),
    pull_request: z.unknown().optional(),
  }),
)
type GithubIssue = z.infer<typeof GithubIssues>[number]

const SEVERITIES: SeverityTable = {
  ...{ critical: 'critical', blocker: 'critical', p0: 'critical' },
  ...{ high: 'high', major: 'high', p1: 'high' },
  ...{ medium: 'medium', p2: 'medium' },
  ...{ low: 'low', minor: 'low', p3: 'low' },
}

/** The surest first: a link to lines, our own issues, code with a line, code, a path with a line. */
const PLACES = [
  /\/blob\/[^/\s]+\/(?<path>[^\s#?)]+)#L(?<line>\d+)(?:-L(?<end>\d+))?/,
  /^- place: `(?<path>[^`\n]+?)(?::(?<line>\d+)(?:-(?<end>\d+))?)?`/m,
  /`(?<path>[^`\s:]+\.\w+):(?<line>\d+)(?:-(?<end>\d+))?`/,
  /`(?<path>(?:[^`\s:/]+\/)+[^`\s:/]+\.\w+)`/,
  /(?:^|[\s(])(?<path>(?:[\w.-]+\/)+[\w.-]+\.\w+):(?<line>\d+)(?:-(?<end>\d+))?/m,
]

export const githubIssues: Importer = {
  recognises: (value) =>
    isListWith(value, ({ number, title, rule }) => typeof number === 'number' && typeof title === 'string' && !rule),
  read(value) {
    const { data, problems } = parseWithSchema(GithubIssues, value)
    if (!data) return { problems }
    const results = data.flatMap((issue, index) => {
      if (issue.pull_request !== undefined && issue.pull_request !== null) return []
      const { number, title, body = '', html_url } = issue
      const labels = issue.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])))
      const level = labels.map((label) => label.toLowerCase().replace(/^(?:severity|priority)[:/ ]*/, ''))
      return {
        at: `/${index}`,
        run: 0,
        tool: 'GitHub issues',
        rule: `issue-${number}`,
        message: `${title}\n\n${removeHiddenText(body)}`.trim(),
        helpUri: html_url,
        place: findPlace(`${body}\n${title}`),
        severity: lookUpSeverity(
          SEVERITIES,
          level.find((word) => Object.hasOwn(SEVERITIES, word)),
        ),
        category: findCategory(labels),
        status: toStatus(issue),
        toolId: String(number),
      }
    })
    // Closed ones are listed, too: absence proves nothing.
    return { results, incomplete: [], covered: [] }
  },
}

/** What a page does not show is not what people read when they labelled the issue. */
function removeHiddenText(body: string): string {
  return body.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim()
}

function findPlace(text: string): ReportedPlace | undefined {
  for (const pattern of PLACES) {
    const { path, line, end } = pattern.exec(text)?.groups ?? {}
    if (path === undefined) continue
    return {
      path: decodePath(path),
      ...(line === undefined ? {} : { line: Number(line) }),
      ...(end === undefined ? {} : { endLine: Number(end) }),
    }
  }
  return undefined
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function toStatus({ state, state_reason: reason }: GithubIssue): ResultStatus {
  if (state?.toLowerCase() !== 'closed') return 'open'
  return reason === 'not_planned' || reason === 'duplicate' ? 'suppressed' : 'gone'
}
