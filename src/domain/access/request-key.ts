// An Idempotency-Key of a request over HTTP, and the answer that the request got.
import { z } from 'zod'

/** As the header has it; quotes around it, as structured headers have them, belong to it. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

export const RequestKey = z.object({
  /** Of the token and the key. */
  key_hash: z.string(),
  /** Of the method, the path and the body. */
  fingerprint: z.string(),
  /** Which request has it. */
  claim: z.string(),
  /** While the request runs it is put off again and again, so that a killed process holds a key for a minute. */
  kept_until: z.iso.datetime(),
  /** Encrypted, as it may show a secret for the only time. Absent while the request runs. */
  answer: z.string().optional(),
})
export type RequestKey = z.infer<typeof RequestKey>
