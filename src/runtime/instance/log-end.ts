// What the log of a home's instance says at its end, for people who can't know where the log is.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'
import type { Home } from '../home/home.ts'
import { instanceLogPath } from './spawn-instance.ts'

const READ_BYTES = 64 * 1024
const SHOWN_LINES = 3
const SHOWN_LETTERS = 300

const LogLine = z.object({
  level: z.string(),
  msg: z.string(),
  error: z.object({ message: z.string() }).optional(),
})

/** The last warnings and errors, and what the process wrote as it crashed. */
export function describeLogEnd(home: Home): string {
  const path = instanceLogPath(home)
  const lines = readEnd(path).split('\n').flatMap(toShownLine).slice(-SHOWN_LINES)
  return lines.length === 0
    ? `its log: ${path}`
    : `its log, ${path}, ends with\n${lines.map((line) => `  ${line}`).join('\n')}`
}

function toShownLine(line: string): string[] {
  if (line.trim() === '') return []
  const { level, msg, error } = LogLine.safeParse(parseJsonIfValid(line)).data ?? {
    level: 'error',
    msg: line,
    error: undefined,
  }
  if (level === 'info' || level === 'debug') return []
  return [`${msg}${error === undefined ? '' : `: ${error.message}`}`.replaceAll(/\s+/g, ' ').slice(0, SHOWN_LETTERS)]
}

function readEnd(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.alloc(Math.min(size, READ_BYTES))
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}
