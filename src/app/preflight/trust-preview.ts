// What a person is shown of a repository before they trust it. What is recorded is the hash of the very bytes that were shown, so
// everything of the file has to be on show: one that can't be (too long, no text, with a secret that would be masked) is not trusted.
import { isUtf8 } from 'node:buffer'
import type { Need } from '../../domain/settings/repository-requirements.ts'
import { openMasking } from '../../platform/masking/mask-secrets.ts'
import type { Environment, Home } from '../../runtime/home/home.ts'
import { effectiveSettings } from '../../runtime/settings/effective-settings.ts'
import { SettingsError } from '../../runtime/settings/merge-settings.ts'
import { layerOfYaml } from '../../runtime/settings/settings-sources.ts'
import { isTrusted, type TrustRecord } from '../../runtime/settings/trust-store.ts'
import { visible } from './escape-invisible.ts'
import { locate, type Named } from './locate-repository.ts'
import { needsOf } from './repository-requirements.ts'
import { readRepository, whereOf } from './repository-settings.ts'

export interface ShownFile {
  readonly bytes: Buffer
  /** Without secrets, and with what a terminal would hide or obey written out. */
  readonly lines: readonly string[]
  /** What it would set, with the line it stands at. */
  readonly sets: readonly { readonly path: string; readonly value: string; readonly origin: string }[]
  /** Why it can't be trusted. */
  readonly problems: readonly string[]
  readonly isTrusted: boolean
}

export type Shown =
  | { readonly kind: 'refused'; readonly problem: string }
  | {
      readonly kind: 'shown'
      readonly root: string
      readonly where: string
      /** A text: what stands in its place. */
      readonly file: ShownFile | string | undefined
      readonly needs: readonly Need[]
      readonly trust: TrustRecord
    }

export async function showForTrust(named: Named, home: Home, env: Environment): Promise<Shown> {
  const located = await locate(named)
  if (located.kind === 'refused') return located
  const reading = await readRepository(located, named, home)
  const { root, facts, trust } = reading
  const { settingsFile: own } = facts
  const where = whereOf(reading)
  const file = own.kind === 'file' ? await showFile(own.bytes, where, trust, { home, env }) : undefined
  return { kind: 'shown', root, where, file: own.kind === 'odd' ? own.what : file, needs: needsOf(facts), trust }
}

/** Nobody reads more before they say yes. */
const MOST_BYTES = 32 * 1024
const MOST_LINES = 500

async function showFile(
  bytes: Buffer,
  where: string,
  trust: TrustRecord,
  { home, env }: { readonly home: Home; readonly env: Environment },
): Promise<ShownFile> {
  const text = bytes.toString()
  const known = isTrusted(trust, bytes)
  const isLong = bytes.length > MOST_BYTES || text.split('\n').length > MOST_LINES
  if (isLong || !isUtf8(bytes)) {
    const why = isLong ? `is longer than ${MOST_LINES} lines or ${MOST_BYTES / 1024} KiB` : 'is not UTF-8 text'
    return { bytes, lines: [], sets: [], problems: [`${where} ${why}: nobody can look at all of it`], isTrusted: known }
  }
  const masking = openMasking(env)
  const { text: shown, found } = await masking.mask(text)
  const { entries } = layerOfYaml(text, where)
  const sets = entries.map(async ({ keys, value, origin }) => ({
    path: keys.join('.'),
    value: visible(await masking.text(JSON.stringify(value))),
    origin,
  }))
  const secret = `${where} holds what looks like a secret, which is not shown, and what is not shown can't be trusted: keep it elsewhere`
  return {
    bytes,
    lines: shown.replace(/\n$/, '').split('\n').map(visible),
    sets: await Promise.all(sets),
    problems: [...problemsOf(text, where, { home, env }), ...(found > 0 ? [secret] : [])],
    isTrusted: known,
  }
}

function problemsOf(
  text: string,
  where: string,
  sources: { readonly home: Home; readonly env: Environment },
): readonly string[] {
  try {
    effectiveSettings({ ...sources, repositoryYaml: { text, where, isTrusted: true } })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}
