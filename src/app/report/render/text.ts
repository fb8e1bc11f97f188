// Somebody else's words in a report: without what a terminal or a viewer would obey, and kept to a length that says so.
import { stripVTControlCharacters } from 'node:util'
import type { Budgets } from '../../../domain/budget/limits.ts'
import { truncateText } from '../../../domain/text/truncate.ts'

/** They turn the direction of what follows, so that a reader sees another text than a program. */
const BIDI_CONTROLS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Of many lines. */
export function toPlainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(BIDI_CONTROLS, (mark) => `<U+${mark.charCodeAt(0).toString(16).toUpperCase()}>`)
    .toWellFormed()
}

/** Where a string in it holds what a terminal would obey, or what turns a line around, it is written as its number. */
export function toSafeJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

/** As one line. */
export function toPlainLine(text: string, most = 400): string {
  // A line separator is a line's end to some.
  return truncateText(
    toPlainText(text.slice(0, most * 8))
      .replace(/[\s\u0085\u2028\u2029]+/g, ' ')
      .trim(),
    most,
  )
}

/** The same, with the space that parts it from its neighbours. */
export function toPlainLineSpaced(text: string): string {
  const line = toPlainLine(text, 4_000)
  if (line === '') return text === '' ? '' : ' '
  return `${/^\s/.test(text) ? ' ' : ''}${line}${/\s$/.test(text) ? ' ' : ''}`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

export interface TruncatedText {
  readonly text: string
  readonly isCut: boolean
}

/** The beginning of a text, by whole lines. */
export function takeHeadLines(text: string, most: number): TruncatedText {
  if (text.length <= most) return { text, isCut: false }
  const end = text.lastIndexOf('\n', most)
  return { text: end > 0 ? text.slice(0, end) : text.slice(0, most).toWellFormed(), isCut: true }
}

/** The end of what a command printed tells most. */
export function takeTailLines(text: string, most: number): TruncatedText {
  if (text.length <= most) return { text, isCut: false }
  const start = text.indexOf('\n', text.length - most)
  return {
    text: start >= 0 && start < text.length - 1 ? text.slice(start + 1) : text.slice(-most).toWellFormed(),
    isCut: true,
  }
}

/** With the session's limit, where there is one: that is for what it does itself. */
export function formatTimeSpent(milliseconds: number, budgets: Pick<Budgets, 'session_seconds'> | null): string {
  const limit = budgets?.session_seconds ?? null
  const spent = formatDuration(milliseconds)
  return limit === null ? spent : `${spent}, limit ${formatDuration(limit * 1000)} without waits for people`
}

function formatDuration(milliseconds: number): string {
  const whole = Math.round(milliseconds / 1000)
  if (whole < 60) return `${(milliseconds / 1000).toFixed(1)} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
