// The instance's door: a socket in the home, where commands ask for what takes a client of Temporal. A question is one line of JSON on a
// connection of its own, and so is its answer. The home's folder is private, so only its user comes to the door.
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { z } from 'zod'
import type { Home } from '../home/home.ts'

export const DoorQuestion = z.discriminatedUnion('kind', [
  /** Starts the workflows of sessions that have none yet. */
  z.object({ kind: z.literal('start'), sessionId: z.string() }),
  /** Closes sessions whose workflow is gone. */
  z.object({ kind: z.literal('reconcile') }),
  /** A workflow's id may serve one session after another: a session whose workflow works on another one by now has `ended`. */
  z.object({
    kind: z.literal('health'),
    workflowId: z.string(),
    session: z.object({ session_id: z.string(), run_id: z.string().optional() }).optional(),
  }),
])
export type DoorQuestion = Readonly<z.infer<typeof DoorQuestion>>

const ANSWERS = {
  /** `given_up`: the session was discarded, as it had no workflow yet, or was asked for too long ago. */
  start: z.object({ kind: z.enum(['started', 'given_up']) }),
  reconcile: z.object({}),
  health: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('running'), problem: z.string().optional(), stalledMs: z.number() }),
    z.object({ kind: z.literal('unstarted'), problem: z.string() }),
    z.object({ kind: z.literal('ended'), status: z.string() }),
    z.object({ kind: z.literal('unknown') }),
  ]),
}
type Kind = DoorQuestion['kind']
type Asked<K extends Kind> = Extract<DoorQuestion, { kind: K }>
export type DoorAnswer<K extends Kind> = Readonly<z.infer<(typeof ANSWERS)[K]>>
/** Who answers at the door. What it throws reaches who asked. */
export type DoorKeeper = { readonly [K in Kind]: (question: Asked<K>) => Promise<DoorAnswer<K>> }

const Reply = z.union([z.object({ answer: z.unknown() }), z.object({ error: z.string() })])
const MAX_LINE_CHARACTERS = 65_536
const ANSWER_WITHIN_MS = 60_000

/** Undefined where nobody opens: the instance starts or ends, or its home can't hold a socket. */
export async function askDoor<K extends Kind>(
  { door }: Pick<Home, 'door'>,
  question: Asked<K>,
): Promise<DoorAnswer<K> | undefined> {
  const { connect } = await import('node:net')
  const socket = connect(door)
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy())
  socket.write(`${JSON.stringify(question)}\n`)
  const line = await readLine(socket)
  socket.destroy()
  if (line === undefined) return undefined
  const reply = Reply.parse(JSON.parse(line))
  if ('error' in reply) throw new Error(reply.error)
  return ANSWERS[question.kind].parse(reply.answer) as DoorAnswer<K>
}

/** Returns how to close it. */
export async function openDoor(
  { door }: Pick<Home, 'door'>,
  keeper: DoorKeeper,
  onTrouble: (error: Error) => void,
): Promise<() => void> {
  const { createServer } = await import('node:net')
  // The lock is ours: one that lies here is of a killed instance.
  rmSync(door, { force: true })
  const visitors = new Set<Socket>()
  const server = createServer((socket) => {
    visitors.add(socket)
    socket.once('close', () => visitors.delete(socket))
    void answerVisitor(socket, keeper)
  })
  await new Promise<void>((resolve) => {
    // An error without a listener ends the process. A visitor that can't be let in is an error, too.
    server.on('error', (error) => {
      onTrouble(error)
      resolve()
    })
    server.listen(door, resolve)
  })
  return () => {
    server.close()
    for (const socket of visitors) socket.destroy()
  }
}

async function answerVisitor(socket: Socket, keeper: DoorKeeper): Promise<void> {
  const line = await readLine(socket)
  if (line === undefined) return void socket.destroy()
  const reply = await answerLine(line, keeper).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error: error.message }),
  )
  socket.end(`${JSON.stringify(reply)}\n`)
}

async function answerLine(line: string, keeper: DoorKeeper): Promise<unknown> {
  const question = DoorQuestion.parse(JSON.parse(line))
  switch (question.kind) {
    case 'start':
      return await keeper.start(question)
    case 'reconcile':
      return await keeper.reconcile(question)
    case 'health':
      return await keeper.health(question)
  }
}

/** Undefined if the connection ends before the line does. */
function readLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (more: string) => {
      text += more
      const end = text.indexOf('\n')
      if (end >= 0) resolve(text.slice(0, end))
      else if (text.length > MAX_LINE_CHARACTERS) socket.destroy()
    })
    socket.once('error', () => resolve(undefined))
    socket.once('close', () => resolve(undefined))
  })
}
