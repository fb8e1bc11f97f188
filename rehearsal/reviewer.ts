// The scripted review: a lead that asks its experts with the CLI's own tool, four in a message at most; experts that find what the scenario
// says; a verifier that says of each finding what the scenario says, else confirms it by its own quote.

import { z } from 'zod'
import type { Call } from './conversation.ts'
import { parseJson, readCallBlock, writePrompt } from './prompt.ts'
import { atIteration, type Scenario } from './scenario.ts'
import { isTool, type ToolRequest, toolsUsed } from './tools.ts'

const MAX_AT_ONCE = 4
const EXPERT = 'reviewer_'

const Fields = z.looseObject({})
const Found = z.looseObject({ id: z.string() })
const Expert = z.looseObject({ name: z.string(), agent: z.string() })
const Report = z.looseObject({ read: z.array(z.string()), findings: z.array(Found) })
const Listed = z.looseObject({ id: z.string(), file: z.string(), quote: z.string().default('') })

/** The uses of the tool for sub-agents that are due now; none when the lead's reply is. */
export function nextExperts({ review }: Scenario, call: Call): ToolRequest[] {
  const asked = new Set(reportsOf(call).map(({ name }) => name))
  const left = expertsOf(call).filter(({ name }) => !asked.has(name) && !review.skips.includes(name))
  return left.slice(0, MAX_AT_ONCE).map(({ name, agent }) => {
    const { call: step, iteration } = call.call
    const told = writePrompt(
      { role: `${EXPERT}${name}`, call: step, iteration },
      { change: call.blocks.get('change') ?? '' },
    )
    return { tool: 'agent', input: { description: `review as ${name}`, prompt: told, subagent_type: agent } }
  })
}

export function isExpert(role: string): boolean {
  return role.startsWith(EXPERT)
}

export function expertReply({ review }: Scenario, call: Call): Record<string, unknown> {
  const name = call.call.role.slice(EXPERT.length)
  const { findings = [], read } = review.experts[name] ?? {}
  return { read: read ?? changeOf(call).paths, findings: findings.map((each) => completed(name, each)) }
}

/** The findings as the experts reported them, all in one group for each. */
export function leadReply({ review }: Scenario, call: Call): Record<string, unknown> {
  const { head, paths } = changeOf(call)
  const merged = new Set(review.merged.map(({ id }) => id))
  const reports = reportsOf(call)
  const earlier = linesOf(call.blocks.get('earlier'), Found).map(({ id }) => ({
    id,
    ...(review.earlier[id] ?? { state: 'gone', reason: 'The place is another one now.' }),
  }))
  return {
    head,
    experts: reports.map(({ name, read, findings }) => ({ name, read, found: findings.map(({ id }) => id) })),
    reviewed: paths,
    not_reviewed: [],
    groups: reports.map(({ name, findings }) => ({
      description: `what ${name} found`,
      findings: findings.filter(({ id }) => !merged.has(id)).map((each) => ({ ...each, experts: [name] })),
    })),
    merged: review.merged,
    earlier,
    ...atIteration(review.replies, call.call.iteration),
  }
}

export function verifierReply({ review }: Scenario, call: Call): Record<string, unknown> {
  const parsed = z.array(Listed).safeParse(parseJson(call.blocks.get('findings')))
  const verdicts = (parsed.data ?? []).flatMap(({ id, issue, file, line, quote }) => {
    const own = review.verdicts[String(issue)]
    if (own === null) return []
    const evidence = [{ file, line: String(line ?? ''), quote }]
    return [{ id, verdict: 'confirmed', reason: 'The failure was traced to its effect.', evidence, ...own }]
  })
  return { verdicts }
}

/** What a finding of the scenario leaves out. */
function completed(name: string, finding: z.infer<typeof Fields>): Record<string, unknown> {
  const about = String(finding.issue ?? finding.id)
  return {
    line: '1',
    quote: '',
    issue: about,
    failure: `with an empty input, ${about} goes wrong`,
    effect: 'wrong_result',
    reach: 'realistic',
    category: 'correctness',
    ...finding,
    id: `${name}-${finding.id}`,
  }
}

function reportsOf(call: Call): { name: string; read: string[]; findings: z.infer<typeof Found>[] }[] {
  return toolsUsed(call.turnsSince).flatMap(({ use, result }) => {
    const told = isTool(use.name, 'agent') ? readCallBlock(String(use.input.prompt ?? '')) : undefined
    if (!told || !result) return []
    const report = Report.safeParse(parseJson(/\{[\s\S]*\}/.exec(result.text)?.[0])).data
    return [{ name: told.role.slice(EXPERT.length), read: report?.read ?? [], findings: report?.findings ?? [] }]
  })
}

function expertsOf(call: Call): z.infer<typeof Expert>[] {
  return z.array(Expert).safeParse(parseJson(call.blocks.get('experts'))).data ?? []
}

/** The block has the commits in its first line, and a file in each further one. */
function changeOf(call: Call): { head: string; paths: string[] } {
  const [first, ...files] = linesOf(call.blocks.get('change'), z.looseObject({}))
  return { head: String(first?.head ?? ''), paths: files.map(({ path }) => String(path)) }
}

function linesOf<Schema extends z.ZodType>(block: string | undefined, schema: Schema): z.output<Schema>[] {
  return (block ?? '').split('\n').flatMap((line) => schema.safeParse(parseJson(line)).data ?? [])
}
