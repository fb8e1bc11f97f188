// Writes our own marks in ASCII where the locale has no UTF-8. Each becomes one character, so that nothing moves or wraps.
import type { Environment } from '../../runtime/home/home.ts'

const ASCII: Readonly<Record<string, string>> = {
  '✓': '+',
  '✔': '+',
  '✗': 'x',
  '…': '~',
  '·': '-',
  '–': '-',
  '—': '-',
  '─': '-',
  '▶': '>',
  '→': '>',
  '■': '#',
  '●': '*',
  '≡': '=',
  '⚖': '=',
  '┊': '|',
  '↻': '@',
  '⏳': '~',
  '“': '"',
  '”': '"',
  '’': "'",
}
const MARKS = new RegExp(`[${Object.keys(ASCII).join('')}]`, 'gu')

/** A locale that nobody set tells nothing of the terminal: containers have none. */
export function hasUtf8({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG
  return !locale || /utf-?8/i.test(locale)
}

const isUtf8 = hasUtf8(process.env)

export function toLocaleText(text: string): string {
  return isUtf8 ? text : toAscii(text)
}

export function toAscii(text: string): string {
  return text.replace(MARKS, (mark) => ASCII[mark] ?? mark)
}
