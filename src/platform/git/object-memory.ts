// Remembers what git said about objects that were named by their id: such an answer never changes, and a new process for each takes longer
// than all else in a short step. Bounded, and of one process.

const MAX_BYTES = 32 * 2 ** 20
/** One answer of more bytes is asked for again. */
const MAX_ANSWER_BYTES = 2 ** 20

const remembered = new Map<string, Buffer>()
let total = 0

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

export function recallObject(key: string): Buffer | undefined {
  const answer = remembered.get(key)
  if (answer === undefined) return undefined
  // The map's first entry is the one that was used least lately.
  remembered.delete(key)
  remembered.set(key, answer)
  return answer
}

export function rememberObject(key: string, answer: Buffer): void {
  if (answer.length > MAX_ANSWER_BYTES || remembered.has(key)) return
  // A copy: the bytes may be part of a much larger output.
  remembered.set(key, Buffer.from(answer))
  total += answer.length
  for (const [oldest, { length }] of remembered) {
    if (total <= MAX_BYTES) return
    remembered.delete(oldest)
    total -= length
  }
}
