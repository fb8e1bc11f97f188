// Asks the person at the terminal, line by line, on standard error: what a command was asked for stays alone on standard output.
// Plain lines and no drawing: they work in every terminal, through every pipe of one, and beside the events that come meanwhile.
// What is pasted with several lines is one answer.
import { clearLine, createInterface, cursorTo } from 'node:readline'
import { paint, say, standAside } from './console.ts'

export type Reply =
  | { readonly kind: 'text'; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: 'interrupted' }
  /** Nobody has to answer any more (the signal), or nobody will (Ctrl-D). */
  | { readonly kind: 'closed' | 'left' }

/** Two lines that come faster than that were not typed. */
const PASTE_MS = 40
/** So long it takes to read what was typed before. */
const EARLIER_MS = 20
const MARK = '> '

/** Whether there is a person to ask. */
export function isConversation(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** One answer to what stands above. */
export async function ask(signal: AbortSignal, mark = MARK): Promise<Reply> {
  if (signal.aborted) return { kind: 'closed' }
  const { stdin: input, stderr: output } = process
  const lines = createInterface({ input, output, prompt: paint('bold', mark), historySize: 0, terminal: true })
  const makeRoom = standAside({
    clear: () => {
      clearLine(output, 0)
      cursorTo(output, 0)
    },
    draw: () => lines.prompt(true),
  })
  let isAsking = false
  const opening = setTimeout(() => {
    isAsking = true
    lines.prompt(true)
  }, EARLIER_MS)
  try {
    const reply = await new Promise<Reply>((resolve) => {
      const typed: string[] = []
      let pause: NodeJS.Timeout | undefined
      lines.on('line', (line) => {
        // It was pressed before there was a question.
        if (line === '' && !isAsking) return
        typed.push(line)
        clearTimeout(pause)
        pause = setTimeout(() => resolve({ kind: 'text', text: typed.join('\n').trim() }), PASTE_MS)
      })
      lines.on('SIGINT', () => resolve({ kind: 'interrupted' }))
      lines.on('close', () => resolve({ kind: 'left' }))
      signal.addEventListener('abort', () => resolve({ kind: 'closed' }), { once: true })
    })
    if (reply.kind !== 'text') output.write('\n')
    return reply
  } finally {
    clearTimeout(opening)
    makeRoom()
    lines.close()
  }
}

export type Chosen<Key> = { readonly kind: 'chosen'; readonly key: Key } | Exclude<Reply, { kind: 'text' }>

/** One of several ways to go on, by its letter or by its whole word. */
export async function choose<Key extends string>(
  ways: Readonly<Record<Key, string>>,
  signal: AbortSignal,
): Promise<Chosen<Key>> {
  const keys = Object.keys(ways) as Key[]
  const width = Math.max(...keys.map((key) => key.length)) + 1
  for (;;) {
    for (const key of keys) {
      say(`  ${paint('bold', key[0] ?? '')}${key.slice(1).padEnd(width)}${paint('dim', ways[key])}`)
    }
    const reply = await ask(signal)
    if (reply.kind !== 'text') return reply
    const typed = reply.text.toLowerCase()
    const found = keys.find((key) => typed !== '' && (key === typed || key[0] === typed))
    if (found !== undefined) return { kind: 'chosen', key: found }
    say(`type one of ${keys.map((key) => key[0]).join(', ')}`)
  }
}
