// How the workflow reads what it is sent. Anyone can send a signal, also one in an encoding that nobody knows; read as usual, it
// would fail the workflow's task before any handler could refuse it, again and again. Here it becomes a value that no schema takes.
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common'

export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload<T>(payload: Payload): T {
    try {
      return defaultPayloadConverter.fromPayload<T>(payload)
    } catch {
      return { 'a payload that cannot be decoded': true } as T
    }
  },
}
