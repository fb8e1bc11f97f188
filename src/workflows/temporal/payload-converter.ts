// Anyone can send a signal in an unknown encoding. The default converter would fail the workflow task again and again before a handler
// could refuse it; here it becomes a value that no schema accepts.
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
