// How an entry of the log is defined: a code that programs know it by, its facts, and the values that people read.
import { z } from 'zod'
import { type ConstructedEvent, type EventSubject, eventData } from '../define-event.ts'

/** A note asks for nobody's attention; a warning does. */
export type LogEventLevel = 'note' | 'warning'

export function defineLog<const Code extends string, const Level extends LogEventLevel, Shape extends z.ZodRawShape>(
  code: Code,
  level: Level,
  facts: z.ZodObject<Shape>,
  describe: (facts: z.output<z.ZodObject<Shape>>, subject: EventSubject) => string,
) {
  const schema = eventData({ code: z.literal(code), level: z.literal(level), ...facts.shape })
  return {
    code,
    schema,
    describe,
    create(key: string, values: z.output<z.ZodObject<Shape>>, subject: EventSubject = {}) {
      const event = { key, type: 'fix_log', data: { code, level, ...values }, ...subject }
      return event as unknown as ConstructedEvent<'fix_log', z.output<typeof schema>>
    },
  }
}
