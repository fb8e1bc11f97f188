// Asks a loopback server without TLS whether it serves a namespace. The request (DescribeNamespace) is encoded by hand: a probe takes 2 ms,
// importing a client 150 ms.
import { connect } from 'node:http2'

export type ProbeResult = 'serving' | 'no-namespace' | 'silent'

const PATH = '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace'
const OK = '0'
const NOT_FOUND = '5'

export function probeServer(address: string, namespace: string, timeoutMs: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const timer = setTimeout(() => finish('silent'), timeoutMs)
    const finish = (result: ProbeResult) => {
      clearTimeout(timer)
      session.destroy()
      resolve(result)
    }
    session.on('error', () => finish('silent'))
    const headers = { ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc', te: 'trailers' }
    const request = session.request(headers)
    let status: unknown
    request.on('response', (got) => {
      status = got['grpc-status']
    })
    request.on('trailers', (got) => {
      status = got['grpc-status']
    })
    request.on('error', () => finish('silent'))
    request.on('end', () => finish(status === OK ? 'serving' : status === NOT_FOUND ? 'no-namespace' : 'silent'))
    request.resume()
    request.end(encodeGrpcFrame(encodeStringField(1, namespace)))
  })
}

/** A protobuf field of type string. One length byte allows 127 bytes, and names of namespaces are shorter. */
function encodeStringField(field: number, text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 127) throw new RangeError(`the namespace "${text}" is longer than 127 bytes`)
  return Buffer.concat([Buffer.from([(field << 3) | 2, bytes.length]), bytes])
}

/** A gRPC frame: a zero byte (not compressed), the length in four bytes, the message. */
function encodeGrpcFrame(message: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
