// What a stage needs from outside, as one of several lanes: people are asked one question at a time, a provider at its limit is waited
// for once, and nobody waits for a lane that waits.
import { parseStepId } from '../../domain/session/step-id.ts'
import type { StagePorts, WaitRequest } from '../stage/stage-ports.ts'
import type { LaneStart } from './loop-over-stages.ts'

/** What all lanes of a session share. */
export interface LaneCoordinator {
  connect(ports: StagePorts, start: LaneStart): StagePorts
}

type Provider = 'fixer' | 'challenger'

/** `sharesKeyWait` is false in histories in which each lane waited for itself. */
export function createLaneCoordinator(sharesKeyWait: () => boolean): LaneCoordinator {
  const parked = new Map<Provider, Promise<void>>()
  let asked: Promise<unknown> = Promise.resolve()
  let keyWait: Promise<boolean> | undefined

  /** Holds a call back while its provider is at its limit. */
  async function waitForProvider(provider: Provider): Promise<void> {
    for (let wait = parked.get(provider); wait; wait = parked.get(provider)) await wait
  }

  /** The first lane at the limit waits visibly; the others wait for it and try again, whatever they were told. */
  async function park(ports: StagePorts, request: WaitRequest): Promise<void> {
    const provider = toProvider(request.stepId)
    if (parked.has(provider)) return await waitForProvider(provider)
    const wait = ports.wait(request).finally(() => parked.delete(provider))
    parked.set(provider, wait)
    await wait
  }

  /** All lanes wait for one key, once: where nobody brought it in time, no lane waits again. */
  async function waitForKey(wait: () => Promise<boolean>): Promise<boolean> {
    keyWait ??= wait().then((isMended) => {
      if (isMended) keyWait = undefined
      return isMended
    })
    return await keyWait
  }

  async function askInTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = asked.then(ask)
    asked = answer.catch(() => undefined)
    return await answer
  }

  return {
    connect: (ports, { landing, addSharing }) => ({
      ...ports,
      landing,
      fixBatch: async (step) => {
        if (parked.has('fixer')) await landing.whileIdle(() => waitForProvider('fixer'))
        const outcome = await ports.fixBatch(step)
        const { alsoTouched = [] } = outcome.work
        if (alsoTouched.length > 0) addSharing([...step.codes, ...alsoTouched])
        return outcome
      },
      challengeTree: async (step) => {
        if (parked.has('challenger')) await landing.whileIdle(() => waitForProvider('challenger'))
        const waiting = keyWait
        if (waiting) await landing.whileIdle(() => waiting)
        return await ports.challengeTree(step)
      },
      wait: (request) =>
        // A branch that is checked out somewhere takes no lane's commit.
        request.kind === 'branch' ? ports.wait(request) : landing.whileIdle(() => park(ports, request)),
      waitForKey: (why, seconds) => {
        const wait = async (): Promise<boolean> => (await ports.waitForKey?.(why, seconds)) ?? false
        return sharesKeyWait() ? landing.whileIdle(() => waitForKey(wait)) : wait()
      },
      decideScope: (stepId) => landing.whileIdle(() => askInTurn(() => ports.decideScope(stepId))),
    }),
  }
}

function toProvider(stepId: string): Provider {
  return parseStepId(stepId)?.kind === 'challenge' ? 'challenger' : 'fixer'
}
