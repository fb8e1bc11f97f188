// The key of a home, with which its doors seal a message whose sender they have checked; workers hand the public half to sessions.
// Gap: whoever can read the home, which is private to its user, can seal as well.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { join } from 'node:path'
import type { HomePaths } from './home.ts'
import { readOrCreateFile } from './read-or-create-file.ts'

export interface SenderKey {
  /** In hexadecimal digits, as the signatures. */
  readonly publicKey: string
  sign(text: string): string
}

export function openSenderKey({ path }: Pick<HomePaths, 'path'>): SenderKey {
  const pem = readOrCreateFile(join(path, 'sender-key'), () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  const key = createPrivateKey(pem)
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    publicKey: Buffer.from(x, 'base64url').toString('hex'),
    sign: (text) => sign(undefined, Buffer.from(text), key).toString('hex'),
  }
}
