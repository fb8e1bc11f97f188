/** The text of a piece of UTF-8, without what is left of a character at either end. */
export function decodeWholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < Math.min(3, bytes.length) && ((bytes[start] as number) & 0xc0) === 0x80) start++
  // Decoding as a stream holds an unfinished last character back.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true })
}
