// SARIF 2.1.0 of any tool, and our own report, which holds each finding as it is.

import type { Severity } from '../../../domain/issue/issue.ts'
import { isJsonObject } from '../../../domain/text/parse-json.ts'
import { truncateText } from '../../../domain/text/truncate.ts'
import { findCategory, findWeaknesses } from '../find-category.ts'
import { type Importer, MAX_TEXT_CHARACTERS, type ReportedResult, type ResultStatus } from '../importer.ts'
import { parseWithSchema } from '../parse-with-schema.ts'
import { lookUpSeverity, type SeverityTable } from '../severity-table.ts'
import { createPlaceReader } from './sarif-places.ts'
import { type SarifMessage, SarifReport, type SarifResult, type SarifRule, type SarifRun } from './sarif-schema.ts'
import { NEEDS_LOGIN } from './semgrep.ts'

/** Names the issue of a result in a report of ours. */
export const OWN_FINGERPRINT = 'fixwrightIssue/v1'

export const sarif: Importer = {
  recognises: (value) => isJsonObject(value) && Array.isArray(value.runs),
  read(value) {
    const { data, problems } = parseWithSchema(SarifReport, value)
    if (!data) return { problems }
    return {
      results: data.runs.flatMap(readRun),
      tools: data.runs.map(toToolName),
      incomplete: data.runs.flatMap(listFailures),
    }
  },
}

function listFailures({ tool, invocations }: SarifRun): string[] {
  const name = tool.driver.name ?? 'its tool'
  if (invocations.some(({ executionSuccessful }) => executionSuccessful === false))
    return [`${name} says that it did not succeed`]
  const notices = invocations.flatMap(({ toolExecutionNotifications }) => toolExecutionNotifications)
  // The level of a notification is a warning unless it says otherwise.
  const troubles = notices.filter(({ level = 'warning' }) => level === 'warning' || level === 'error')
  return troubles.length > 0 ? [`${name} tells of ${troubles.length} trouble(s) while it ran`] : []
}

function toToolName({ tool: { driver } }: SarifRun): string {
  return driver.name || 'SARIF'
}

function readRun(run: SarifRun, index: number): ReportedResult[] {
  const readPlace = createPlaceReader(run)
  const findRule = createRuleFinder(run)
  const tool = toToolName(run)
  const isOurs = tool === 'fixwright'
  return run.results.map((result, number) => {
    const rule = findRule(result)
    const [place, ...others] = result.locations.map(readPlace)
    const message = readMessage(run, rule, result.message)
    const { primaryLocationLineHash: lineHash, ...partial } = result.partialFingerprints ?? {}
    const ids = Object.entries({ ...result.fingerprints, ...partial }).filter(([, id]) => id && id !== NEEDS_LOGIN)
    return {
      at: `/runs/${index}/results/${number}`,
      run: index,
      tool,
      rule: result.ruleId || result.rule?.id || rule?.id || 'no-rule',
      message,
      ruleText: rule?.fullDescription?.text || rule?.shortDescription?.text,
      helpUri: rule?.helpUri,
      place,
      alsoAt: [...others, ...result.relatedLocations.map(readPlace)].filter((each) => each !== undefined),
      severity: readSeverity(result, rule),
      category: readCategory(rule),
      cwes: readWeaknesses(rule),
      suggestedFix: result.fixes[0]?.description?.text,
      status: readStatus(result),
      toolId: isOurs ? partial[OWN_FINGERPRINT] : ids.length > 0 ? JSON.stringify(ids.sort()) : undefined,
      lineHash: lineHash || undefined,
      ownFinding: isOurs ? result.properties?.finding : undefined,
    }
  })
}

type RuleFinder = (result: SarifResult) => SarifRule | undefined

function createRuleFinder({ tool: { driver, extensions } }: SarifRun): RuleFinder {
  const rules = [driver, ...extensions].flatMap((component) => component.rules)
  const byId = new Map(rules.toReversed().map((rule) => [rule.id, rule]))
  return ({ ruleId, ruleIndex, rule }) => {
    const component = rule?.toolComponent?.index === undefined ? driver : extensions[rule.toolComponent.index]
    const indexed = component?.rules[rule?.index ?? ruleIndex ?? -1]
    if (indexed) return indexed
    const id = ruleId ?? rule?.id
    // The id of a result may be that of a rule with one part behind a slash.
    return id === undefined ? undefined : (byId.get(id) ?? byId.get(id.slice(0, id.lastIndexOf('/'))))
  }
}

function readMessage({ tool: { driver } }: SarifRun, rule: SarifRule | undefined, message: SarifMessage): string {
  const { id = '', text = rule?.messageStrings?.[id]?.text ?? driver.globalMessageStrings?.[id]?.text } = message
  // A template is shared by many results, and may name an argument many times.
  let room = MAX_TEXT_CHARACTERS
  const fill = (found: string, number?: string): string => {
    if (number === undefined) return found.slice(1)
    const argument = (message.arguments[Number(number)] ?? found).slice(0, room)
    room -= argument.length
    return argument
  }
  const filled = truncateText(text ?? '', MAX_TEXT_CHARACTERS)
    .replace(/\{\{|\}\}|\{(\d+)\}/g, fill)
    // A link to one of the locations is only its text.
    .replace(/(?<!\\)\[((?:\\.|[^\\[\]])*)\]\(\d+\)/g, '$1')
    .replace(/\\([\\[\]])/g, '$1')
  return filled.trim() || rule?.shortDescription?.text || rule?.id || 'no message'
}

const LEVELS: SeverityTable = { error: 'high', warning: 'medium', note: 'low', none: 'info' }

/** A score of GitHub's for the rule comes before the level. */
function readSeverity({ level }: SarifResult, rule: SarifRule | undefined): Severity {
  const score = Number(rule?.properties?.['security-severity'] ?? Number.NaN)
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  if (score >= 4) return 'medium'
  if (score > 0) return 'low'
  return lookUpSeverity(LEVELS, level ?? rule?.defaultConfiguration?.level ?? 'warning')
}

function readCategory(rule: SarifRule | undefined): string | undefined {
  const { category, tags } = rule?.properties ?? {}
  if (typeof category === 'string' && category !== '') return category
  return Array.isArray(tags) ? findCategory(tags.filter((tag) => typeof tag === 'string')) : undefined
}

/** Tools name weaknesses in the tags of a rule, or as the relation of a rule to a list of them. */
function readWeaknesses(rule: SarifRule | undefined): string[] {
  const { tags, cwe } = rule?.properties ?? {}
  const related = rule?.relationships.flatMap(({ target }) =>
    target?.toolComponent?.name === 'CWE' ? `cwe-${target.id}` : [],
  )
  return findWeaknesses([tags, cwe, related])
}

/** An empty list of suppressions says that there is none; one under review, or rejected, undoes the others. */
function readStatus({ kind, baselineState, suppressions }: SarifResult): ResultStatus {
  if (baselineState === 'absent') return 'gone'
  if ((kind ?? 'fail') !== 'fail') return 'passed'
  const isSuppressed = suppressions.length > 0 && suppressions.every(({ status = 'accepted' }) => status === 'accepted')
  return isSuppressed ? 'suppressed' : 'open'
}
