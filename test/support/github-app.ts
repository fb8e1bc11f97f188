// An App on the GitHub of the test bed: what GitHub knows of it, and the key file of whoever runs Fixwright as it.
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BedSetup } from './github/state.ts'

export const APP_BOT = 'fixer[bot]'

export interface MadeApp {
  readonly app: NonNullable<BedSetup['app']>
  readonly keyFile: string
  /** The lines of its private key. */
  readonly secrets: readonly string[]
}

export function makeApp(folder: string): MadeApp {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const keyFile = join(folder, 'app.pem')
  writeFileSync(keyFile, privateKey, { mode: 0o600 })
  return {
    app: { id: 5, slug: 'fixer', installation: 9, publicKey, bot: { login: APP_BOT, id: 77 } },
    keyFile,
    secrets: privateKey.split('\n').filter((line) => line.length === 64),
  }
}
