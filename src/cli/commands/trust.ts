// `fixwright trust`: shows a repository's settings file or needs, and records the operator's consent to what was shown.
import { type HomeContext, openHomeContext } from '../../app/context.ts'
import { FixwrightError, RefusedError } from '../../app/errors.ts'
import { findRepositoryFolder } from '../../app/find-repository.ts'
import {
  acceptWithout,
  assertNotAnAgent,
  formatContentHash,
  formatTrustCommand,
  listTrusted,
  REQUIREMENT_KINDS,
  revokeAllTrust,
  type TrustRecord,
  trustFile,
} from '../../app/trust/trust.ts'
import { type PreviewedFile, previewTrust, type TrustPreview } from '../../app/trust/trust-preview.ts'
import { parseChoice } from '../options/shared.ts'
import { paint, print, printJson, printNotice } from '../terminal/console.ts'
import { isInteractive, promptChoice } from '../terminal/prompt.ts'
import { formatTable } from '../terminal/table.ts'

export interface TrustOptions {
  readonly repository: string
  readonly base?: string | undefined
  /** The kinds of needs that sessions do without. */
  readonly without: readonly string[]
  readonly yes: boolean
  readonly list: boolean
  readonly revoke: boolean
  readonly json: boolean
}

type ShownPreview = TrustPreview & { readonly kind: 'shown' }

export async function runTrustCommand(given: TrustOptions): Promise<number> {
  assertNotAnAgent({ env: process.env })
  const context = openHomeContext({ env: process.env })
  if (given.list) return printTrustRecords(context, given)
  const options = { ...given, repository: await findRepositoryFolder(context.home, given.repository) }
  if (options.revoke) return runTrustRevoke(context, options)
  const shown = await previewTrust(context, options)
  if (shown.kind === 'refused') throw new RefusedError('repository_unusable', [shown.problem])
  return options.without.length > 0
    ? await goOnWithout(context, shown, options)
    : await showAndTrust(context, shown, options)
}

async function showAndTrust(context: HomeContext, shown: ShownPreview, options: TrustOptions): Promise<number> {
  const { root, file, where } = shown
  if (typeof file === 'string')
    throw new RefusedError('not_trustable', [`${where} is ${file}: only a file of its own can be trusted`])
  if (file !== undefined) {
    if (!options.json) print(describeFile(where, file))
    if (file.problems.length > 0) throw new RefusedError('not_trustable', file.problems)
  }
  const isNew = file !== undefined && !file.isTrusted
  if (isNew) {
    await requireConfirmation(`trust this content for ${root}?`, options)
    trustFile(context, root, file)
  }
  const { without } = shown.trust
  const left = shown.needs.filter(({ kind, items }) => !items.every((each) => without[kind]?.includes(each)))
  if (options.json) printJson({ repository: root, trusted: file !== undefined, file: where, needs: left })
  else {
    if (file === undefined) print(`there is no ${where}`)
    else print(`${isNew ? 'trusted' : 'trusted already'}: ${where} (sha256 ${formatContentHash(file)})`)
    for (const { kind, description } of left) {
      print(
        `it needs ${kind}: ${description}\n  to go on without: ${formatTrustCommand(root, options.base, ` --without ${kind}`)}`,
      )
    }
  }
  return 0
}

function describeFile(where: string, { lines, sets, isTrusted }: PreviewedFile): string {
  const width = String(lines.length).length
  const numbered = lines.map(
    (line, index) => `${paint('dim', String(index + 1).padStart(width), process.stdout)}  ${line}`,
  )
  if (sets.length === 0) return [where, ...numbered].join('\n')
  const rows = formatTable(
    sets.map(({ path, value }) => [path, value]),
    '  ',
  )
  return [where, ...numbered, '', isTrusted ? 'it sets:' : 'trusted, it would set:', rows].join('\n')
}

/** Records that sessions go on without these needs of the repository. */
async function goOnWithout(
  context: HomeContext,
  { root, needs }: ShownPreview,
  options: TrustOptions,
): Promise<number> {
  const kinds = options.without.map((kind) => parseChoice('--without', kind, REQUIREMENT_KINDS))
  const unknown = kinds.filter((kind) => !needs.some((need) => need.kind === kind))
  if (unknown.length > 0) throw new RefusedError('bad_input', [`${root} needs no ${unknown.join(', ')}`])
  const chosen = needs.filter(({ kind }) => kinds.includes(kind))
  if (!options.json) for (const { kind, description } of chosen) print(`${kind}: ${description}`)
  await requireConfirmation(`go on without ${kinds.join(', ')} in ${root}?`, options)
  acceptWithout(context, root, chosen)
  if (options.json) printJson({ repository: root, without: kinds })
  else print(`agreed: sessions of ${root} go on without ${kinds.join(', ')}`)
  return 0
}

async function requireConfirmation(question: string, { yes }: TrustOptions): Promise<void> {
  if (yes) return
  if (!isInteractive())
    throw new FixwrightError('not_confirmed', 'nothing was recorded: look at it, and say so with --yes')
  printNotice(question)
  const chosen = await promptChoice(
    { yes: 'I have looked at it', no: 'leave everything as it is' },
    new AbortController().signal,
  )
  if (chosen.kind !== 'chosen') throw new FixwrightError('interrupted', 'nothing was recorded')
  if (chosen.key === 'no') throw new FixwrightError('declined', 'nothing was recorded')
}

function printTrustRecords(context: HomeContext, { json }: TrustOptions): number {
  const all = listTrusted(context)
  if (json) printJson(all)
  else print(all.length === 0 ? 'nothing is trusted' : formatTable(all.flatMap(toTrustRows)))
  return 0
}

function toTrustRows({ repository, files, without }: TrustRecord): string[][] {
  return [
    ...files.map(({ sha256, at }) => [repository, `.fixwright.yaml ${sha256.slice(0, 10)}`, at]),
    ...Object.entries(without).map(([kind, what]) => [repository, `without ${kind}`, what.join(', ')]),
  ]
}

function runTrustRevoke(context: HomeContext, { repository, json }: TrustOptions): number {
  const { root, had } = revokeAllTrust(context, repository)
  if (json) printJson({ repository: root, revoked: had })
  else print(had ? `${root} is trusted with nothing any more` : `${root} was trusted with nothing`)
  return 0
}
