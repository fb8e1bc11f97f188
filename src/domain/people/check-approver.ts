// Four eyes: who started a session does not approve what it does. A name that no door of ours has checked is nobody's.
import { toTokenName } from '../access/token-name.ts'
import type { MessageRefusal } from '../errors/error-codes.ts'

export interface FourEyes {
  /** Absent if nobody knows, as of a session that an order of Temporal started. */
  readonly starter?: string | undefined
  /** Nobody can approve then. Absent in sessions that were opened before it was looked at. */
  readonly lacksCheckedStarter?: boolean | undefined
}

export interface Approver {
  readonly by: string | undefined
  /** Whether a door of ours has sealed the message. */
  readonly isChecked: boolean
}

/** Undefined if the approval counts. */
export function findSelfApproval(
  { starter, lacksCheckedStarter }: FourEyes,
  { by, isChecked }: Approver,
): MessageRefusal | undefined {
  if (by === undefined || !isChecked) {
    const reason =
      'this home wants four eyes (people.four_eyes), and who approves is not known for sure: use fixwright or its HTTP API'
    return { kind: 'refused', code: 'self_approval', reason }
  }
  if (lacksCheckedStarter) {
    const who =
      starter === undefined
        ? 'nobody knows who started this session'
        : `who started this session is a claim (${starter})`
    const advice = 'cancel it, and start the work with fixwright or its HTTP API'
    const reason = `${who}, and this home wants four eyes (people.four_eyes), so nobody can approve: ${advice}`
    return { kind: 'refused', code: 'self_approval', reason }
  }
  if (starter === undefined || fold(by) !== fold(starter)) return undefined
  const reason = `${starter} started this session, and this home wants four eyes (people.four_eyes): somebody else has to approve`
  return { kind: 'refused', code: 'self_approval', reason }
}

/** A person is called otherwise at the terminal than as a token only where a token may not have that name. */
function fold(name: string): string {
  return toTokenName(name).toLowerCase()
}
