// The operator's own word on how severe the findings of tools are.
import { z } from 'zod'
import { Severity } from '../issue/issue.ts'
import { toToolKey } from '../issue/tool-key.ts'

export const SeverityRule = z
  .strictObject({
    tool: z.string().min(1),
    /** The full name of a rule, or its beginning; without it, all rules of the tool. */
    rule: z.string().min(1).optional(),
    severity: z.enum([...Severity.options, 'from-rule']),
  })
  .describe(
    `a map of tool, rule (or the beginning of its name) and severity: ${Severity.options.join(', ')} or from-rule`,
  )
export type SeverityRule = z.infer<typeof SeverityRule>

/** The longest name that fits decides; undefined leaves it to the report. */
export function findMappedSeverity(
  map: readonly SeverityRule[],
  { tool, rule }: { readonly tool: string; readonly rule: string },
): Severity | undefined {
  const fitting = map.filter((each) => toToolKey(each.tool) === toToolKey(tool) && isNamed(rule, each.rule))
  const [first] = fitting.sort((one, two) => (two.rule ?? '').length - (one.rule ?? '').length)
  return first === undefined || first.severity === 'from-rule' ? undefined : first.severity
}

/** `S` names S602 but not SIM102, and `security` names security/detect-eval. */
function isNamed(rule: string, name = ''): boolean {
  return name === '' || rule === name || (rule.startsWith(name) && !/^[A-Za-z]/.test(rule.slice(name.length)))
}
