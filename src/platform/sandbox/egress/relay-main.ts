// The inside end of the way out: forwards its loopback ports to the proxy's socket, starts the command, and ends as the command
// does. Usage: node relay-main.ts SOCKET PORT SERVICES COMMAND [ARGUMENT…], where services are host:port with commas between
import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { constants } from 'node:os'

const [path = '', port, services = '', command = '', ...args] = process.argv.slice(2)

function pipeBothWays(inside: Socket, outside: Socket): void {
  inside.pipe(outside)
  outside.pipe(inside)
  for (const [one, other] of [
    [inside, outside],
    [outside, inside],
  ] as const) {
    one.on('error', () => other.destroy())
    // A side that ended normally may still have data on its way to the other.
    one.once('close', () => (one.readableEnded ? other.resume().end() : other.destroy()))
  }
}

function forwardToProxy(inside: Socket): void {
  pipeBothWays(inside, connect({ path, allowHalfOpen: true }))
}

function forwardToService(service: string): (inside: Socket) => void {
  return (inside) => {
    inside.on('error', () => undefined)
    request({ socketPath: path, method: 'CONNECT', path: service, headers: { host: service }, agent: new Agent() })
      .on('connect', (answer, outside, head) => {
        if (answer.statusCode !== 200) return inside.destroy()
        inside.write(head)
        return pipeBothWays(inside, outside)
      })
      .on('error', () => inside.destroy())
      .end()
  }
}

async function listenOnPort(at: number, serve: (inside: Socket) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    createServer({ allowHalfOpen: true }, serve).once('error', reject).listen(at, '127.0.0.1', resolve)
  })
}

// The relay is the command's parent because nothing else inside would wait until the ports are open.
await listenOnPort(Number(port), forwardToProxy)
for (const service of services.split(',').filter((each) => each !== ''))
  await listenOnPort(Number(service.slice(service.lastIndexOf(':') + 1)), forwardToService(service))

// Only the command carries the marker: it is the one to be ended, and the relay ends with it.
const { FIXWRIGHT_MARK_FOR_CHILD: marker, ...env } = process.env
const child = spawn(command, args, { stdio: 'inherit', env: { ...env, FIXWRIGHT_CALL: marker } })
child.once('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(127)
})
child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
