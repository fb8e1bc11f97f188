// Short words for how the scripted model treats a made issue (rehearsal/twelve.ts): its one edit, a plausible edit that is wrong, and
// what else an agent may do on the way.
import assert from 'node:assert/strict'
import type { ScenarioInput } from '../../rehearsal/scenario.ts'
import type { Made, MadeFinding } from '../../rehearsal/twelve.ts'

type Script = NonNullable<ScenarioInput['issues']>[string]
export type Fix = NonNullable<Script['fixes']>[number]
export type Step = NonNullable<Fix['steps']>[number]
type Edit = Step & { readonly tool: 'edit' }

export function scriptOf({ scenario }: Made, code: string): Script {
  const script = scenario.issues[code]
  assert.ok(script, `${code} is in the scenario`)
  return script
}

/** The edit that fixes it. */
export function rightEdit(made: Made, code: string): Edit {
  const step = scriptOf(made, code).fixes?.[0]?.steps?.[0]
  assert.ok(step?.tool === 'edit', `${code} is fixed by an edit`)
  return step
}

/** Changes the right line, and not what is wrong with it. */
export function wrongEdit(made: Made, code: string): Edit {
  const { old, ...edit } = rightEdit(made, code)
  return { ...edit, old, new: old.replace(/(\S.*?)(\s+(?:#|\/\/) )/, '($1)$2') }
}

/** From the wrong edit, or from where the issue began, to the right one. */
export function amends(made: Made, code: string): Edit[] {
  const edit = rightEdit(made, code)
  return [edit, { ...edit, old: wrongEdit(made, code).new }]
}

/** The right edit with a remark below it. The model uses one edit of a place in a call, so it is one. */
export function rightWith(made: Made, code: string, text: string): Edit {
  const edit = rightEdit(made, code)
  return { ...edit, new: remarked(edit, text) }
}

/** Puts a remark below a line that is right already. */
export function remark(made: Made, code: string, text: string): Edit {
  const edit = rightEdit(made, code)
  return { ...edit, old: edit.new, new: remarked(edit, text) }
}

function remarked({ file, new: line }: Edit, text: string): string {
  return `${line}\n    ${file.endsWith('.py') ? '#' : '//'} ${text}`
}

export function bash(command: string): Step {
  return { tool: 'bash', command }
}

export function write(file: string, content: string): Step {
  return { tool: 'write', file, content }
}

/** With the shell's own words: the fixer may not use git, and the CLI refuses it. */
export function rename(from: string, to: string): Step {
  return bash(`mkdir -p "$(dirname '${to}')" && mv '${from}' '${to}'`)
}

/** A symbolic link at `path`; `target` as the link has it. */
export function link(target: string, path: string): Step {
  return bash(`mkdir -p "$(dirname '${path}')" && ln -s '${target}' '${path}'`)
}

/** From the second script on, one for each further attempt. */
export function attempts(made: Made, code: string, ...all: readonly (readonly Step[])[]): void {
  made.scenario.issues[code] = { ...scriptOf(made, code), fixes: all.map((steps) => ({ steps: [...steps] })) }
}

export function change(made: Made, code: string, fields: Partial<Script>): void {
  made.scenario.issues[code] = { ...scriptOf(made, code), ...fields }
}

export function findingsOf(
  { findings }: Made,
  ...codes: readonly string[]
): { readonly issues: readonly MadeFinding[] } {
  return { issues: findings.issues.filter(({ issue_code }) => codes.includes(issue_code)) }
}
