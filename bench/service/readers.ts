// So many readers of one stream, as a process of its own. Each event says when it was written; the parent gets how long each took.
import { get } from 'node:http'

const { url = '', token = '', count = '1' } = process.env
const WRITTEN = /"at=([\d.]+)"/g
let tooks: number[] = []
let open = 0

for (let reader = 0; reader < Number(count); reader += 1) {
  const asking = get(
    url,
    { agent: false, headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' } },
    (response) => {
      open += 1
      if (open === Number(count)) process.send?.({ open })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        const now = performance.timeOrigin + performance.now()
        for (const [, at] of chunk.matchAll(WRITTEN)) tooks.push(now - Number(at))
      })
      response.on('error', () => undefined)
    },
  )
  // The service ends before this process does.
  asking.on('error', () => undefined)
}

process.on('message', () => {
  process.send?.({ tooks })
  tooks = []
})
process.on('disconnect', () => process.exit(0))
