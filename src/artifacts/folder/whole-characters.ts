/** Decodes a piece of UTF-8 without the partial characters at its ends. */
export function decodeWholeCharacters(bytes: Buffer): string {
  let start = 0
  while (start < Math.min(3, bytes.length) && ((bytes[start] as number) & 0xc0) === 0x80) start++
  // With `stream`, the decoder holds back an unfinished last character.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start), { stream: true })
}
