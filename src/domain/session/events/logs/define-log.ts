// How an entry of the log is defined: a code that programs know it by, its facts, and the values that people read.
import { z } from 'zod'
import { type ConstructedEvent, type CreateEvent, type EventSubject, eventData } from '../define-event.ts'

/** A note asks for nobody's attention; a warning does. */
export type LogEventLevel = 'note' | 'warning'

type CreateLog<Code, Level, Facts> = CreateEvent<
  ConstructedEvent<'fix_log', Facts & { code: Code; level: Level }>,
  Facts
>

export function defineLog<
  const Code extends string,
  const Level extends LogEventLevel,
  Shape extends z.ZodRawShape,
  Constructor extends object,
>(
  code: Code,
  level: Level,
  facts: z.ZodObject<Shape>,
  describe: (facts: z.output<z.ZodObject<Shape>>, subject: EventSubject) => string,
  toConstructor: (create: CreateLog<Code, Level, z.output<z.ZodObject<Shape>>>) => Constructor,
) {
  const create: CreateLog<Code, Level, z.output<z.ZodObject<Shape>>> = (key, values, subject = {}) => {
    const event = { key, type: 'fix_log', data: { code, level, ...values }, ...subject }
    return event as ReturnType<CreateLog<Code, Level, typeof values>>
  }
  const schema = eventData({ code: z.literal(code), level: z.literal(level), ...facts.shape })
  return Object.assign(toConstructor(create), { code, schema, describe })
}
