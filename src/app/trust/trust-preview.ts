// Shows a person a repository's settings before they trust it. The record holds the hash of the shown bytes, so a file
// that can't be shown in full (too long, not text, with a masked secret) can't be trusted.
import { isUtf8 } from 'node:buffer'
import type { RepositoryRequirement } from '../../domain/settings/repository-requirements.ts'
import { createMasking } from '../../platform/masking/mask-secrets.ts'
import {
  formatSettingsFileLabel,
  locateRepository,
  type RepositoryReference,
  readRepositoryAtCommit,
} from '../../preflight/read-repository.ts'
import { listNeeds } from '../../preflight/repository-requirements.ts'
import { loadSettings, SettingsError } from '../../runtime/settings/merge-settings.ts'
import { parseYamlLayer } from '../../runtime/settings/settings-sources.ts'
import { isTrusted, type TrustRecord } from '../../runtime/settings/trust-store.ts'
import type { HomeContext } from '../context.ts'

export interface PreviewedFile {
  readonly bytes: Buffer
  /** The lines without secrets, with everything escaped that a terminal would hide or obey. */
  readonly lines: readonly string[]
  /** The settings in the file, each with its line. */
  readonly sets: readonly { readonly path: string; readonly value: string; readonly origin: string }[]
  /** Why the file can't be trusted. */
  readonly problems: readonly string[]
  readonly isTrusted: boolean
}

export type TrustPreview =
  | { readonly kind: 'refused'; readonly problem: string }
  | {
      readonly kind: 'shown'
      readonly root: string
      readonly where: string
      /** A string says what is there instead of a file. */
      readonly file: PreviewedFile | string | undefined
      readonly needs: readonly RepositoryRequirement[]
      readonly trust: TrustRecord
    }

export async function previewTrust(
  { home, env }: Pick<HomeContext, 'home' | 'env'>,
  named: RepositoryReference,
): Promise<TrustPreview> {
  const located = await locateRepository(named)
  if (located.kind === 'refused') return located
  const reading = await readRepositoryAtCommit(located, home)
  const { root, facts, trust } = reading
  const { settingsFile: own } = facts
  const where = formatSettingsFileLabel(reading)
  const file = own.kind === 'file' ? await previewFile(own.bytes, where, trust, { home, env }) : undefined
  return { kind: 'shown', root, where, file: own.kind === 'odd' ? own.what : file, needs: listNeeds(facts), trust }
}

/** A person reads no more than this before they agree. */
const MAX_PREVIEW_BYTES = 32 * 1024
const MAX_PREVIEW_LINES = 500

async function previewFile(
  bytes: Buffer,
  where: string,
  trust: TrustRecord,
  sources: Pick<HomeContext, 'home' | 'env'>,
): Promise<PreviewedFile> {
  const text = bytes.toString()
  const known = isTrusted(trust, bytes)
  const isLong = bytes.length > MAX_PREVIEW_BYTES || text.split('\n').length > MAX_PREVIEW_LINES
  if (isLong || !isUtf8(bytes)) {
    const why = isLong
      ? `is longer than ${MAX_PREVIEW_LINES} lines or ${MAX_PREVIEW_BYTES / 1024} KiB`
      : 'is not UTF-8 text'
    return { bytes, lines: [], sets: [], problems: [`${where} ${why}: nobody can look at all of it`], isTrusted: known }
  }
  const masking = createMasking(sources.env)
  const { text: shown, secretCount } = await masking.maskAndCount(text)
  const { entries } = parseYamlLayer(text, where)
  const sets = entries.map(async ({ keys, value, origin }) => ({
    path: keys.join('.'),
    value: escapeInvisible(await masking.maskText(JSON.stringify(value))),
    origin,
  }))
  const secret = `${where} holds what looks like a secret, which is not shown, and what is not shown can't be trusted: keep it elsewhere`
  return {
    bytes,
    lines: shown.replace(/\n$/, '').split('\n').map(escapeInvisible),
    sets: await Promise.all(sets),
    problems: [...listFileProblems(text, where, sources), ...(secretCount > 0 ? [secret] : [])],
    isTrusted: known,
  }
}

function listFileProblems(text: string, where: string, sources: Pick<HomeContext, 'home' | 'env'>): readonly string[] {
  try {
    loadSettings({ ...sources, repositoryYaml: { text, label: where, isTrusted: true } })
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

/** Escapes everything in a line of foreign text that a terminal would hide, reorder or obey. */
function escapeInvisible(line: string): string {
  return line.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}
