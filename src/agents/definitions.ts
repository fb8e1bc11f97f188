// Reads `agents/`: one Markdown file per role, with front matter for how it runs and the text as its instructions. Gap: model names are
// not checked here; only the CLI knows which ones there are.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { BatchKind, CodeKind } from '../domain/issue/code-kind.ts'
import { type Framework, frameworksForKind } from '../domain/issue/frameworks.ts'
import { REPLY_SCHEMAS, type ReplyName } from '../domain/stage/reply-schemas.ts'
import type { SubAgent } from './provider-contract.ts'

const GuidelineFields = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be lower-case words with dashes'),
  description: z.string().min(1),
})

const AgentFields = GuidelineFields.extend({
  cli: z.enum(['claude', 'gemini']),
  /** A tier (`opus`, `haiku`, `flash`) or a full model name. The model chains of the settings take precedence. */
  model: z.string().min(1),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  /** In tokens; 0 asks for no thinking. */
  thinking_budget: z.number().int().min(0),
  tools: z.array(z.string().min(1)),
  disallowed_tools: z.array(z.string().min(1)).default([]),
  reply: z.enum(Object.keys(REPLY_SCHEMAS) as [ReplyName, ...ReplyName[]]),
})

export interface AgentDefinition extends z.infer<typeof AgentFields> {
  readonly kind: 'agent'
  readonly instructions: string
}

/** A role without `cli`: its text goes into the prompts of other roles. */
interface Guideline extends z.infer<typeof GuidelineFields> {
  readonly kind: 'guideline'
  readonly instructions: string
}

/** The agents that can be called, by file name. */
export type AgentName =
  | 'clarifier'
  | 'planner'
  | 'fixer'
  | 'fixer_single'
  | 're_fixer'
  | 'fix_challenger'
  | 'git-branch-creator'
  | 'git-committer'
  | 'voter_claude'
  | 'voter_gemini'
  | 'review_lead'
  | 'review_verifier'

export type GuidelineName =
  | 'delegating'
  | 'dev_be'
  | 'dev_be_fastapi'
  | 'dev_fe'
  | 'dev_fe_react'
  | 'dev_fe_next'
  | 'engineering_principles'
  | 'fixing'
  | 'voting'
  | 'reviewer'
  | `reviewer_${'language' | 'spec' | 'be_architecture' | 'be_quality' | 'fe_architecture' | 'fe_quality'}`

export interface AgentDefinitions {
  /** File names without `.md`. */
  readonly names: readonly string[]
  loadAgent(name: AgentName): AgentDefinition
  loadGuideline(name: GuidelineName): string
  /** Its description, as another agent is told of it. */
  describe(name: AgentName | GuidelineName): string
}

const GUIDELINE_BY_KIND: Readonly<Record<CodeKind, GuidelineName>> = { backend: 'dev_be', frontend: 'dev_fe' }
const GUIDELINE_BY_FRAMEWORK: Readonly<Record<Framework, GuidelineName>> = {
  fastapi: 'dev_be_fastapi',
  react: 'dev_fe_react',
  next: 'dev_fe_next',
}

/** Reads all files at once, so that a broken one is found when a worker starts and not in the middle of a session. */
export function loadAgentDefinitions(folder: string): AgentDefinitions {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'))
  const all = new Map(files.map((file) => [basename(file, '.md'), readDefinition(join(folder, file))]))
  const find = (name: string): AgentDefinition | Guideline => {
    const found = all.get(name)
    if (found) return found
    throw new Error(
      `There is no agent file ${join(folder, `${name}.md`)}: there are ${[...all.keys()].sort().join(', ')}`,
    )
  }
  return {
    names: [...all.keys()].sort(),
    loadAgent(name) {
      const found = find(name)
      if (found.kind === 'agent') return found
      throw new Error(`${join(folder, `${name}.md`)} can't be called: its front matter has no "cli"`)
    },
    loadGuideline: (name) => find(name).instructions,
    describe: (name) => find(name).description,
  }
}

/** The guidelines for writing code of this kind, with those for the frameworks that the repository uses. */
export function loadGuidelines(
  agents: AgentDefinitions,
  kind: BatchKind,
  frameworks: readonly Framework[] = [],
): string[] {
  const kinds: readonly CodeKind[] = kind === 'both' ? ['backend', 'frontend'] : [kind]
  const names = kinds.flatMap((each) => [
    GUIDELINE_BY_KIND[each],
    ...frameworksForKind(frameworks, each).map((framework) => GUIDELINE_BY_FRAMEWORK[framework]),
  ])
  names.push('engineering_principles')
  return names.map((name) => agents.loadGuideline(name))
}

/** The value of Claude's `--agents`: the sub-agent that a fixer may hand single issues to. It has the model of the call. */
export function buildSubAgents(
  agents: AgentDefinitions,
  prompt: string,
): Record<string, SubAgent & { disallowedTools: string[] }> {
  const { name, description, tools, disallowed_tools } = agents.loadAgent('fixer_single')
  // A rule about a part of a tool would take the whole tool from a sub-agent. The rules of the calling agent apply to it as well.
  const disallowedTools = disallowed_tools.filter((tool) => !tool.includes('('))
  return { [name]: { description, prompt, tools, disallowedTools, model: 'inherit' } }
}

function readDefinition(path: string): AgentDefinition | Guideline {
  const source = readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  const [, frontMatter, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source) ?? []
  if (frontMatter === undefined || body === undefined) {
    throw new Error(`${path} must begin with front matter between two lines of "---"`)
  }
  const instructions = body.trim()
  // Both CLIs read a prompt that begins with a slash as a command, and one that begins with "-" as an option.
  if (!/^[\p{L}#]/u.test(instructions)) throw new Error(`${path}: its text must begin with a letter or "#"`)
  const fields = parseYaml(frontMatter, path)
  const isAgent = typeof fields === 'object' && fields !== null && 'cli' in fields
  const parsed = (isAgent ? AgentFields : GuidelineFields).safeParse(fields)
  if (!parsed.success) {
    throw new Error(`The front matter of ${path} is not valid:\n${z.prettifyError(parsed.error)}`)
  }
  return isAgent
    ? { kind: 'agent', ...(parsed.data as z.infer<typeof AgentFields>), instructions }
    : { kind: 'guideline', ...parsed.data, instructions }
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new Error(`The front matter of ${path} is not YAML: ${(error as Error).message}`)
  }
}
