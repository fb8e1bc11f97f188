// Asks the person at the terminal on standard error; standard output is left to the command's result. Plain lines work
// in every terminal, through pipes, and beside events that arrive meanwhile.
import { clearLine, createInterface, cursorTo } from 'node:readline'
import { keepFooter, paint, printNotice } from './console.ts'

export type PromptReply =
  | { readonly kind: 'text'; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: 'interrupted' }
  /** `closed`: the answer is no longer needed (the signal). `left`: nobody will answer (Ctrl-D). */
  | { readonly kind: 'closed' | 'left' }

/** Lines closer together than this were pasted and count as one answer. */
const PASTE_GAP_MS = 40
/** How long it takes to read what was typed before the question. */
const TYPEAHEAD_MS = 20

/** Whether there is a person to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** Reads one answer to the text above. */
export async function promptLine(signal: AbortSignal): Promise<PromptReply> {
  if (signal.aborted) return { kind: 'closed' }
  const { stdin, stderr: output } = process
  const lines = createInterface({ input: stdin, output, prompt: paint('bold', '> '), historySize: 0, terminal: true })
  const makeRoom = keepFooter('prompt', {
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
  }, TYPEAHEAD_MS)
  try {
    const reply = await new Promise<PromptReply>((resolve) => {
      const typed: string[] = []
      let pause: NodeJS.Timeout | undefined
      lines.on('line', (line) => {
        // Enter was pressed before the question appeared.
        if (line === '' && !isAsking) return
        typed.push(line)
        clearTimeout(pause)
        pause = setTimeout(() => resolve({ kind: 'text', text: typed.join('\n').trim() }), PASTE_GAP_MS)
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

/** Waits for one key, without Enter; undefined if none is pressed in time. */
export async function promptKey(waitMs: number): Promise<string | undefined> {
  const { stdin } = process
  stdin.setRawMode(true).resume()
  try {
    return await new Promise<string | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), waitMs)
      stdin.once('data', (typed) => {
        clearTimeout(timer)
        resolve(String(typed)[0])
      })
    })
  } finally {
    stdin.removeAllListeners('data')
    stdin.setRawMode(false).pause()
  }
}

export type Choice<Key> = { readonly kind: 'chosen'; readonly key: Key } | Exclude<PromptReply, { kind: 'text' }>

/** Asks for one of several choices, by its first letter or its whole word. */
export async function promptChoice<Key extends string>(
  ways: Readonly<Record<Key, string>>,
  signal: AbortSignal,
): Promise<Choice<Key>> {
  const keys = Object.keys(ways) as Key[]
  const width = Math.max(...keys.map((key) => key.length)) + 1
  for (;;) {
    for (const key of keys) {
      printNotice(`  ${paint('bold', key[0] ?? '')}${key.slice(1).padEnd(width)}${paint('dim', ways[key])}`)
    }
    const reply = await promptLine(signal)
    if (reply.kind !== 'text') return reply
    const typed = reply.text.toLowerCase()
    const found = keys.find((key) => typed !== '' && (key === typed || key[0] === typed))
    if (found !== undefined) return { kind: 'chosen', key: found }
    printNotice(`type one of ${keys.map((key) => key[0]).join(', ')}`)
  }
}
