import { z } from 'zod'

/** A record whose keys come from a repository: `z.record` leaves out a file or a test that is called `__proto__`. */
export function anyKeyRecord<Value>(value: z.ZodType<Value>) {
  const isRecord = (input: unknown) =>
    typeof input === 'object' && input !== null && Object.values(input).every((each) => value.safeParse(each).success)
  return z.custom<Readonly<Record<string, Value>>>(isRecord)
}
