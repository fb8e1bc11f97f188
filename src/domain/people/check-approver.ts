// Four eyes: who started a session does not approve what it does. A name that no door of ours has checked is nobody's.
import type { MessageRefusal } from '../errors/error-codes.ts'

export interface FourEyes {
  /** Absent if nobody knows, as of a session that an order of Temporal started. */
  readonly starter?: string | undefined
}

export interface Approver {
  readonly by: string | undefined
  /** Whether a door of ours has sealed the message. */
  readonly isChecked: boolean
}

/** Undefined if the approval counts. */
export function findSelfApproval({ starter }: FourEyes, { by, isChecked }: Approver): MessageRefusal | undefined {
  if (by === undefined || !isChecked) {
    const reason =
      'this home wants four eyes (people.four_eyes), and who approves is not known for sure: use fixwright or its HTTP API'
    return { kind: 'refused', code: 'self_approval', reason }
  }
  if (starter === undefined || fold(by) !== fold(starter)) return undefined
  const reason = `${starter} started this session, and this home wants four eyes (people.four_eyes): somebody else has to approve`
  return { kind: 'refused', code: 'self_approval', reason }
}

function fold(name: string): string {
  return name.trim().toLowerCase()
}
