// At most 4 KiB of agents' text a second go into a session's log, from all its calls together. The transcript has the rest.

const BYTES_A_SECOND = 4_096

interface Room {
  left: number
  at: number
}

const rooms = new Map<string, Room>()

/** Whether this text still fits into the session's log. `now` in milliseconds. */
export function takeTextRoom(sessionId: string, text: string, now = performance.now()): boolean {
  const room = refill(rooms.get(sessionId) ?? { left: BYTES_A_SECOND, at: now }, now)
  for (const [id, other] of rooms) if (refill(other, now).left === BYTES_A_SECOND) rooms.delete(id)
  rooms.set(sessionId, room)
  const bytes = Buffer.byteLength(text)
  if (bytes > room.left) return false
  room.left -= bytes
  return true
}

function refill(room: Room, now: number): Room {
  room.left = Math.min(BYTES_A_SECOND, room.left + ((now - room.at) / 1000) * BYTES_A_SECOND)
  room.at = now
  return room
}
