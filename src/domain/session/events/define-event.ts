// How an event is defined: its type, what its data holds, the sentence that people read of it, and how one is made.
// Constructed events have no other origin than `create`, so a message always says what the data says.
import { z } from 'zod'

/** All that is stored of an event beside its type and data. */
export const EventFields = z.object({
  session_id: z.string(),
  seq: z.number().int().positive(),
  timestamp: z.string(),
  issue_code: z.string().optional(),
  issue_id: z.string().optional(),
  /** 1-based place of the issue among those of the session. */
  issue_index: z.number().int().positive().optional(),
  total_issues: z.number().int().nonnegative().optional(),
  commit_sha: z.string().optional(),
  /** Rendered from the data when the event is appended. */
  message: z.string(),
})

/** The issue or commit that an event is about. */
export type EventSubject = Pick<
  z.infer<typeof EventFields>,
  'issue_code' | 'issue_id' | 'issue_index' | 'total_issues' | 'commit_sha'
>

const SessionTotal = z.object({
  cost_usd: z.number(),
  cost_partial: z.literal(true).optional(),
  tokens: z.number(),
})
export type SessionTotal = z.infer<typeof SessionTotal>

const COMMON_SHAPE = { lane: z.number().optional(), total: SessionTotal.optional() }
type CommonShape = typeof COMMON_SHAPE

/** The schema of an event's data. `total` is what the session has spent by then, `lane` the lane whose work it is, in sessions with several. */
export function eventData<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Omit<CommonShape, keyof Shape> & Shape> {
  return z.object({ ...COMMON_SHAPE, ...shape })
}

declare const constructed: unique symbol

/** An event before the log gives it its place. Writing the same `key` twice leaves one event. */
export interface ConstructedEvent<Type extends string, Data> extends EventSubject {
  readonly key: string
  readonly type: Type
  readonly data: Data
  readonly [constructed]: true
}

export type CreateEvent<Event, Facts> = (key: string, facts: Facts, subject?: EventSubject) => Event

/** The facts of a constructor that stores them as they are. */
export type EventFacts<Create extends (key: string, facts: never) => unknown> = Parameters<Create>[1]

export interface AtStep {
  readonly stepId: string
}

/** An event about one issue of a session. */
export type IssueSubject = EventSubject & { readonly issue_code: string }

/** A constructor of an event that a step of the session has once. */
export function atStep(suffix: string) {
  return <Event, Facts>(create: CreateEvent<Event, Facts>) =>
    (stepId: string, facts: Facts, subject?: EventSubject): Event =>
      create(`${stepId}/${suffix}`, facts, subject)
}

/** A constructor of an event that an issue of the session has once. */
export function atIssue(suffix: string) {
  return <Event, Facts>(create: CreateEvent<Event, Facts>) =>
    (facts: Facts, issue: IssueSubject): Event =>
      create(`${issue.issue_code}/${suffix}`, facts, issue)
}

/** Defines an event as its constructor, which `toConstructor` makes of `create`. */
export function defineEvent<const Type extends string, Data extends z.ZodType<object>, Constructor extends object>(
  type: Type,
  data: Data,
  describe: (data: z.output<Data>, subject: EventSubject) => string,
  toConstructor: (create: CreateEvent<ConstructedEvent<Type, z.output<Data>>, z.output<Data>>) => Constructor,
) {
  const create = (key: string, facts: z.output<Data>, subject: EventSubject = {}) =>
    ({ key, type, data: facts, ...subject }) as ConstructedEvent<Type, z.output<Data>>
  const schema = EventFields.extend({ type: z.literal(type), data })
  return Object.assign(toConstructor(create), { type, schema, describe, create })
}

type DefinedIn<File> = File extends object ? Extract<File[keyof File], { readonly schema: z.ZodType }> : never

/** All that these files define: a file exports its definitions, and what else it exports is none. */
export function listDefinitions<File extends object>(files: readonly File[]): readonly DefinedIn<File>[] {
  const exported = files.flatMap((file): unknown[] => Object.values(file))
  return exported.filter((each): each is DefinedIn<File> => typeof each === 'function' && 'schema' in each)
}
