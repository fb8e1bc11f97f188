// The inside end of the gateway: a namespace without network has a loopback of its own, on which this listens and passes every byte
// on to the socket that was bound into it. It starts the command, and ends as the command does: as a parent, because nothing else
// in there waits until somebody listens.
// Usage: node relay-main.ts PORT SOCKET COMMAND [ARGUMENT…]
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const [port, socket, command, ...args] = process.argv.slice(2)
if (port === undefined || socket === undefined || command === undefined) throw new Error('usage: PORT SOCKET COMMAND …')

const server = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socket, allowHalfOpen: true })
  inside.pipe(outside)
  outside.pipe(inside)
  inside.on('error', () => outside.destroy())
  outside.on('error', () => inside.destroy())
  inside.on('close', () => outside.destroy())
  outside.on('close', () => inside.destroy())
})

server.listen(Number(port), '127.0.0.1', () => {
  // Only the command is marked: what is asked to end is the command, and this ends with it.
  const { FIXWRIGHT_MARK_FOR_CHILD: marker, ...env } = process.env
  const child = spawn(command, args, { stdio: 'inherit', env: { ...env, FIXWRIGHT_CALL: marker } })
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(127)
  })
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
})
