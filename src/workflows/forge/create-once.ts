// Makes one thing on a forge, once: look for it, make it, look again. An answer that was lost says nothing of what was done, so the thing is
// looked for twice before it is made again. Pure: the ports do the work.
import type { ForgeOutcome, ForgeRefusal } from '../../domain/workflow-types/index.ts'

export interface CreatePorts<Thing> {
  /** Those with the key, the one that counts first. */
  find(): Promise<ForgeOutcome<readonly Thing[]>>
  create(): Promise<ForgeOutcome<Thing>>
  pause(milliseconds: number): Promise<void>
  /** Waits as long as a limit lasts; false when it has lasted too long. */
  waitOutLimit(until: number, detail: string): Promise<boolean>
  readonly lookAgainMs: number
  /** The caller has looked just now, and looks again at the end: that is left out here. */
  readonly isWatched?: boolean
}

export type CreatedOnce<Thing> =
  | { readonly kind: 'done'; readonly things: readonly [Thing, ...Thing[]]; readonly isNew: boolean }
  | ForgeRefusal

const MAX_WRITES = 5

export async function createOnce<Thing>(ports: CreatePorts<Thing>): Promise<CreatedOnce<Thing>> {
  const { find, create, pause, lookAgainMs, isWatched = false } = ports
  let lost = 'nothing was tried'
  for (let write = 0; write < MAX_WRITES; write += 1) {
    const before = isWatched && write === 0 ? ({ kind: 'none' } as const) : await look()
    if (before.kind !== 'none') return before
    const made = await untilAllowed(ports, create)
    if (made.kind === 'done') {
      const after = isWatched ? ({ kind: 'none' } as const) : await look()
      // A list may lag behind what was just made.
      return after.kind === 'none' ? { kind: 'done', things: [made.value], isNew: true } : isNew(after)
    }
    if (made.kind === 'refused') {
      // Somebody else may have made it a moment ago.
      const after = await look()
      return after.kind === 'done' ? after : made
    }
    lost = made.detail
    for (const wait of [lookAgainMs, 2 * lookAgainMs]) {
      await pause(wait)
      const after = await look()
      if (after.kind !== 'none') return isNew(after)
    }
  }
  return { kind: 'refused', code: 'forge_unreachable', detail: `${MAX_WRITES} tries had no answer: ${lost}` }

  async function look(): Promise<CreatedOnce<Thing> | { readonly kind: 'none' }> {
    const found = await untilAllowed(ports, find)
    if (found.kind === 'lost') return { kind: 'refused', code: 'forge_unreachable', detail: found.detail }
    if (found.kind === 'refused') return found
    const [first, ...more] = found.value
    return first === undefined ? { kind: 'none' } : { kind: 'done', things: [first, ...more], isNew: false }
  }
}

function isNew<Thing>(made: CreatedOnce<Thing>): CreatedOnce<Thing> {
  return made.kind === 'done' ? { ...made, isNew: true } : made
}

/** Runs it again each time a limit is over. */
export async function untilAllowed<Value>(
  { waitOutLimit }: Pick<CreatePorts<unknown>, 'waitOutLimit'>,
  work: () => Promise<ForgeOutcome<Value>>,
): Promise<Exclude<ForgeOutcome<Value>, { readonly kind: 'limited' }>> {
  for (;;) {
    const outcome = await work()
    if (outcome.kind !== 'limited') return outcome
    if (!(await waitOutLimit(outcome.until, outcome.detail))) {
      return { kind: 'refused', code: 'forge_unreachable', detail: `its limit lasts too long: ${outcome.detail}` }
    }
  }
}
