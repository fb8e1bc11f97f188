// The port of every importer: what a report of any tool becomes before the repository is looked at.
import type { Severity } from '../../domain/issue/issue.ts'

/** One format. Neither function throws, whatever the value is. */
export interface Importer {
  /** Whether a value is a report of this format, by what only this format has. */
  recognises(value: unknown): boolean
  read(value: unknown): ReportReading
}

export type ReportReading =
  | {
      readonly results: readonly ReportedResult[]
      /** Why the tool did not look at everything. */
      readonly incomplete: readonly string[]
      /** The tools that ran, also those without a result; by default those of the results. */
      readonly tools?: readonly string[]
      /** The files of the first run that the tool looked at, where the report names them all; only there absence closes an issue. */
      readonly covered?: readonly ReportedPlace[]
      readonly problems?: undefined
    }
  /** Each names its place by a JSON pointer. */
  | { readonly problems: readonly string[]; readonly results?: undefined }

export const MAX_NAME_CHARACTERS = 300
export const MAX_TEXT_CHARACTERS = 4_000

/** `gone`: the report itself says that it is fixed. `passed`: it says that nothing is wrong there. */
export type ResultStatus = 'open' | 'suppressed' | 'gone' | 'passed'

export interface ReportedResult {
  /** The JSON pointer. */
  readonly at: string
  /** Results of one run name their files in the same way. */
  readonly run: number
  /** The tool's name as it writes it. */
  readonly tool: string
  readonly rule: string
  readonly message: string
  readonly ruleText?: string | undefined
  readonly helpUri?: string | undefined
  readonly place: ReportedPlace | undefined
  /** Further places, in the order of the report. */
  readonly alsoAt?: readonly ReportedPlace[]
  readonly severity: Severity
  readonly category?: string | undefined
  readonly suggestedFix?: string | undefined
  readonly status: ResultStatus
  /** The tool's own identity of the result. It is evidence, never the only one. */
  readonly toolId?: string | undefined
  /** The weaknesses in the numbers of CWE, as `cwe-78`. */
  readonly cwes?: readonly string[] | undefined
  /** SARIF's `primaryLocationLineHash`. */
  readonly lineHash?: string | undefined
  /** The finding itself, in a report that Fixwright wrote. */
  readonly ownFinding?: unknown
}

export interface ReportedPlace {
  /** Absolute, or relative to `folder`. */
  readonly path: string
  /** An absolute folder on the machine of the tool. */
  readonly folder?: string | undefined
  readonly line?: number | undefined
  readonly endLine?: number | undefined
  readonly column?: number | undefined
  readonly snippet?: string | undefined
}
