// The waits of all lanes, of which people see one: a request to them before all others, else the latest.
import type { ShownWait } from '../../domain/workflow-types/index.ts'

export interface WaitBoard {
  /** Both return the wait to show now, if other waits are under way as well. */
  begin(stepId: string, wait: ShownWait): ShownWait | undefined
  end(stepId: string): ShownWait | undefined
}

export function createWaitBoard(): WaitBoard {
  const waits = new Map<string, ShownWait>()
  const choose = (): ShownWait | undefined => {
    const all = [...waits.values()]
    return all.findLast(({ open }) => open) ?? all.at(-1)
  }
  return {
    begin: (stepId, wait) => {
      waits.set(stepId, wait)
      return waits.size > 1 ? choose() : undefined
    },
    end: (stepId) => {
      waits.delete(stepId)
      return choose()
    },
  }
}
