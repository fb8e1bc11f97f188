// What a start is asked for, and what it is before anything is begun.
import type { Refusal } from '../../domain/errors/fixwright-error.ts'
import type { Finding } from '../../domain/issue/parse-findings.ts'
import type { Settings } from '../../domain/settings/schema.ts'
import type { NewSession } from '../../store/sessions.ts'
import type { GivenFindings } from '../read-findings.ts'
import type { GivenReview } from '../read-review.ts'
import type { KnownSelection } from './select-known-issues.ts'

export interface ReportNotice {
  /** What of a tool's report was taken, and what was not; also the first of the notes. */
  readonly notice: string | undefined
}

/** Either `findings` or `known` is given. */
export interface StartInput extends Omit<GivenFindings, 'findings'>, GivenReview {
  readonly findings?: GivenFindings['findings'] | undefined
  /** Issues that the store has already. */
  readonly known?: KnownSelection | undefined
  /** Its folder, or the name or id by which it is registered. */
  readonly repository: string
  readonly base?: string | undefined
  /** What the review compared the base with. Default: the default branch, or the `base` of an existing branch. */
  readonly against?: string | undefined
  /** The branch for the commits. Default: a name made from the titles. */
  readonly branch?: string | undefined
  /** The branch exists and is a person's. */
  readonly useExistingBranch?: boolean | undefined
  readonly notes?: string | undefined
  readonly task?: string | undefined
  readonly allowDirty: boolean
  /** Settings of the command line, by path or by a flag's own name. */
  readonly flags: Readonly<Record<string, unknown>>
  /** Settings of an order from outside, by path. */
  readonly orderedSettings?: Readonly<Record<string, unknown>> | undefined
}

export interface PreparedSession extends ReportNotice {
  readonly kind: 'ready'
  readonly session: NewSession
  readonly findings: readonly Finding[]
  /** The findings are issues that the store has already. */
  readonly areKnown?: boolean | undefined
  readonly settings: Settings
  /** The review's text to be stored, with secrets masked. */
  readonly reviewText?: string | undefined
  /** Keeps a new session from beginning, but not from joining a running one. */
  readonly obstacle: Refusal | undefined
  readonly notes: readonly string[]
}
