// `fixwright trust`: shows what a repository's own settings file says, or what it needs, and records that the operator has seen it and
// agrees. What is recorded is what was shown.
import { resolve } from 'node:path'
import { trustCommand } from '../../app/preflight/repository-settings.ts'
import { type Shown, type ShownFile, showForTrust } from '../../app/preflight/trust-preview.ts'
import { NeedKind } from '../../domain/settings/repository-requirements.ts'
import type { Home } from '../../runtime/home/home.ts'
import { allTrust, hashOf, trust as record, revoke, type TrustRecord } from '../../runtime/settings/trust-store.ts'
import { BAD_INPUT, badInput, CANCELLED, Exit } from '../exit-codes.ts'
import { homeOf } from '../session/connect.ts'
import { oneOf, repositoryFor } from '../session/find-session.ts'
import { paint, print, say } from '../terminal/console.ts'
import { choose, isConversation } from '../terminal/prompt.ts'
import { table } from '../terminal/table.ts'

export interface TrustOptions {
  readonly repository: string
  readonly base?: string | undefined
  /** Needs to go on without. */
  readonly without: readonly string[]
  readonly yes: boolean
  readonly list: boolean
  readonly revoke: boolean
  readonly json: boolean
}

type Seen = Shown & { readonly kind: 'shown' }

export async function trust(options: TrustOptions): Promise<number> {
  if (process.env.FIXWRIGHT_CALL) throw new Exit(BAD_INPUT, 'nothing was changed: an agent can trust nothing')
  const home = homeOf()
  if (options.list) return list(home, options)
  if (options.revoke) return takeBack(home, options)
  const shown = await showForTrust(options, home, process.env)
  if (shown.kind === 'refused') throw badInput([shown.problem])
  return options.without.length > 0 ? await agree(home, shown, options) : await trustFile(home, shown, options)
}

async function trustFile(home: Home, shown: Seen, options: TrustOptions): Promise<number> {
  const { root, file, where } = shown
  if (typeof file === 'string') throw badInput([`${where} is ${file}: only a file of its own can be trusted`])
  if (file !== undefined) {
    if (!options.json) print(describeFile(where, file))
    if (file.problems.length > 0) throw badInput(file.problems)
  }
  const isNew = file !== undefined && !file.isTrusted
  if (isNew) {
    await confirm(`trust this content for ${root}?`, options)
    record(home, root, { bytes: file.bytes, needs: [] })
  }
  const { without } = shown.trust
  const left = shown.needs.filter(({ kind, what }) => !what.every((each) => without[kind]?.includes(each)))
  if (options.json)
    print(JSON.stringify({ repository: root, trusted: file !== undefined, file: where, needs: left }, null, 2))
  else {
    if (file === undefined) print(`there is no ${where}`)
    else print(`${isNew ? 'trusted' : 'trusted already'}: ${where} (sha256 ${hashOf(file.bytes).slice(0, 10)})`)
    for (const { kind, says } of left) {
      print(`it needs ${kind}: ${says}\n  to go on without: ${trustCommand(root, options.base, ` --without ${kind}`)}`)
    }
  }
  return 0
}

function describeFile(where: string, { lines, sets, isTrusted }: ShownFile): string {
  const width = String(lines.length).length
  const numbered = lines.map(
    (line, index) => `${paint('dim', String(index + 1).padStart(width), process.stdout)}  ${line}`,
  )
  if (sets.length === 0) return [where, ...numbered].join('\n')
  const rows = table(
    sets.map(({ path, value }) => [path, value]),
    '  ',
  )
  return [where, ...numbered, '', isTrusted ? 'it sets:' : 'trusted, it would set:', rows].join('\n')
}

/** To go on without what the repository needs. */
async function agree(home: Home, { root, needs }: Seen, options: TrustOptions): Promise<number> {
  const kinds = options.without.map((kind) => oneOf('--without', kind, NeedKind.options))
  const unknown = kinds.filter((kind) => !needs.some((need) => need.kind === kind))
  if (unknown.length > 0) throw badInput([`${root} needs no ${unknown.join(', ')}`])
  const chosen = needs.filter(({ kind }) => kinds.includes(kind))
  if (!options.json) for (const { kind, says } of chosen) print(`${kind}: ${says}`)
  await confirm(`go on without ${kinds.join(', ')} in ${root}?`, options)
  record(home, root, { needs: chosen })
  if (options.json) print(JSON.stringify({ repository: root, without: kinds }, null, 2))
  else print(`agreed: sessions of ${root} go on without ${kinds.join(', ')}`)
  return 0
}

async function confirm(question: string, { yes }: TrustOptions): Promise<void> {
  if (yes) return
  if (!isConversation()) throw new Exit(BAD_INPUT, 'nothing was recorded: look at it, and say so with --yes')
  say(question)
  const chosen = await choose(
    { yes: 'I have looked at it', no: 'leave everything as it is' },
    new AbortController().signal,
  )
  if (chosen.kind !== 'chosen') throw new Exit(CANCELLED, 'nothing was recorded')
  if (chosen.key === 'no') throw new Exit(1, 'nothing was recorded')
}

function list(home: Home, { json }: TrustOptions): number {
  const all = allTrust(home)
  if (json) print(JSON.stringify(all, null, 2))
  else print(all.length === 0 ? 'nothing is trusted' : table(all.flatMap(rowsOf)))
  return 0
}

function rowsOf({ repository, files, without }: TrustRecord): string[][] {
  return [
    ...files.map(({ sha256, at }) => [repository, `.fixwright.yaml ${sha256.slice(0, 10)}`, at]),
    ...Object.entries(without).map(([kind, what]) => [repository, `without ${kind}`, what.join(', ')]),
  ]
}

function takeBack(home: Home, { repository, json }: TrustOptions): number {
  const root = rootOf(repository)
  const wasTrusted = revoke(home, root)
  if (json) print(JSON.stringify({ repository: root, revoked: wasTrusted }, null, 2))
  else print(wasTrusted ? `${root} is trusted with nothing any more` : `${root} was trusted with nothing`)
  return 0
}

/** One that is gone can be named, too. */
function rootOf(typed: string): string {
  try {
    return repositoryFor(typed)
  } catch {
    return resolve(typed)
  }
}
