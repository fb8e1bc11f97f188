// Cleans text from others for a report: removes control characters, and cuts visibly.
import { stripVTControlCharacters } from 'node:util'
import type { Budgets } from '../../../domain/budget/limits.ts'
import { truncateText } from '../../../domain/text/truncate.ts'

/** These characters reverse the direction of text, so that people read another text than programs. */
const BIDI_CONTROLS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export function toPlainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replace(BIDI_CONTROLS, (mark) => `<U+${mark.charCodeAt(0).toString(16).toUpperCase()}>`)
    .toWellFormed()
}

/** Writes control and direction characters inside strings as escapes, which mean the same to programs. */
export function toSafeJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${text}\n`
}

export function toPlainLine(text: string, most = 400): string {
  // Some viewers treat a line separator as the end of a line.
  return truncateText(
    toPlainText(text.slice(0, most * 8))
      .replace(/[\s\u0085\u2028\u2029]+/g, ' ')
      .trim(),
    most,
  )
}

/** Like `toPlainLine`, but keeps one space at each end that had any. */
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

/** Cuts a text after its last whole line that fits. */
export function takeHeadLines(text: string, most: number): TruncatedText {
  if (text.length <= most) return { text, isCut: false }
  const end = text.lastIndexOf('\n', most)
  return { text: end > 0 ? text.slice(0, end) : text.slice(0, most).toWellFormed(), isCut: true }
}

/** Keeps the end of a text, the most telling part of a command's output. */
export function takeTailLines(text: string, most: number): TruncatedText {
  if (text.length <= most) return { text, isCut: false }
  const start = text.indexOf('\n', text.length - most)
  return {
    text: start >= 0 && start < text.length - 1 ? text.slice(start + 1) : text.slice(-most).toWellFormed(),
    isCut: true,
  }
}

/** Adds the session's limit, if any. The limit excludes waits for people. */
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
