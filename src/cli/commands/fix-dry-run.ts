// `fixwright fix --dry-run`: prints what a session would do, with every prompt in full below a title with its step id.

import { dryRun } from '../../app/dry-run/dry-run.ts'
import { RefusedError } from '../../app/errors.ts'
import type { StartInput } from '../../app/start/start-session.ts'
import type { DryCommand, DryPlan, DryPrompt } from '../../domain/session/dry-run.ts'
import { print, printJson } from '../terminal/console.ts'
import { printPaged } from '../terminal/pager.ts'

export async function runFixDryCommand(input: StartInput, { json }: { readonly json: boolean }): Promise<number> {
  const result = await dryRun(input, process.env)
  if (result.kind === 'refused') throw new RefusedError(result.code, result.problems)
  if (json) printJson(result.kind === 'nothing' ? result.nothing : result.plan)
  else if (result.kind === 'nothing') print(`${result.nothing.reason}\nNothing would be started.`)
  else await printPaged(formatDryPlan(result.plan))
  return 0
}

export function formatDryPlan(plan: DryPlan): string {
  const { base, branch, profile, max_iterations, stages, prompts } = plan
  const against =
    base.reviewed_against === null || base.reviewed_against === base.name
      ? ''
      : `, reviewed against ${base.reviewed_against}`
  const known = prompts.filter(({ gaps }) => gaps.length === 0).length
  const head = [
    `repository  ${plan.repository}`,
    `base        ${base.name} (${base.commit.slice(0, 10)})${against}`,
    ...(base.goes_on_from === null
      ? []
      : [`goes on     from ${base.goes_on_from.slice(0, 10)}, the head of ${branch ?? 'its branch'}`]),
    `branch      ${branch ?? 'none: nothing is left to do'}`,
    `profile     ${profile}, at most ${max_iterations} attempt(s) at an issue`,
    ...plan.left_out.map(({ issue_code, reason }) => `left out    ${issue_code}: ${reason}`),
    ...plan.notes.map((note) => `note        ${note}`),
  ]
  const planned = stages.flatMap(({ batches, commit_subjects }, index) => [
    `stage ${index + 1}`,
    ...commit_subjects.map((subject) => `  commit: ${subject}`),
    ...batches.map(
      ({ label, workload, steps }) =>
        `  ${label} · workload ${workload} · ${steps.map((step) => step.join(', ')).join(' → ')}`,
    ),
  ])
  const sections = [
    head,
    ['PLAN', ...planned],
    ['COMMANDS', ...plan.commands.map(formatCommand)],
    [`PROMPTS: ${known} as they would be sent, ${prompts.length - known} with gaps that only the session can fill`],
    ...prompts.map((prompt) => [formatPromptTitle(prompt), '', prompt.prompt.trimEnd()]),
    ['Nothing was started, asked, run or changed.'],
  ]
  return sections.map((lines) => lines.join('\n')).join('\n\n')
}

function formatPromptTitle({ call: stepId, role, iteration, codes, gaps }: DryPrompt): string {
  const missing = gaps.length === 0 ? 'as it would be sent' : `${gaps.length} gap(s)`
  return `──── ${role} · ${stepId} · attempt ${iteration} · ${codes.join(', ')} · ${missing} ────`
}

function formatCommand({
  purpose,
  role = purpose,
  command,
  arguments: args = [],
  timeout_seconds,
}: DryCommand): string {
  const words = args.length === 0 ? command : [command, ...args.map(quoteArgument)].join(' ')
  return `  ${role} (at most ${timeout_seconds} s)\n    ${words}`
}

const MAX_ARGUMENT_CHARS = 160

function quoteArgument(argument: string): string {
  const short =
    argument.length > MAX_ARGUMENT_CHARS
      ? `${argument.slice(0, MAX_ARGUMENT_CHARS)}… (${argument.length} characters)`
      : argument
  return /^[\w@%+=:,./-]+$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`
}
