// Reads the schema of the settings: their paths, expected values in plain words, parsing of text, and the nearest key to a wrong one.

import { z } from 'zod'
import { Settings } from '../../domain/settings/schema.ts'
import { parseJsonIfValid } from '../../domain/text/parse-json.ts'

export function schemaAt(keys: readonly string[]): z.ZodType | undefined {
  let schema: z.ZodType = Settings
  for (const key of keys) {
    const next = getChildSchema(schema, key)
    if (next === undefined) return undefined
    schema = next
  }
  return schema
}

export function isSettingsGroup(schema: z.ZodType): schema is z.ZodObject | z.ZodRecord {
  return schema instanceof z.ZodObject || schema instanceof z.ZodRecord
}

export function listSettingPaths(profiles: readonly string[]): string[] {
  return listPathsUnder(Settings, [], profiles)
}

/** Completes a sentence that begins with "must be". */
export function describeExpected(schema: z.ZodType): string {
  if (schema instanceof z.ZodNullable) return `${describeExpected(schema.unwrap() as z.ZodType)}, or null`
  if (schema instanceof z.ZodDefault) return describeExpected(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodBoolean) return 'true or false'
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(', ')}`
  if (schema instanceof z.ZodUnion) return listOptions(schema).map(describeExpected).join(', or ')
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((value) => JSON.stringify(value)).join(', ')
  if (schema instanceof z.ZodArray) return describeExpectedList(schema)
  if (schema instanceof z.ZodNumber) return describeExpectedNumber(schema)
  if (isSettingsGroup(schema)) return 'a map of settings'
  return schema.description ?? (schema.safeParse('').success ? 'a text' : 'a text that is not empty')
}

/** The schema without null, which stands for "not set": a given flag must set something. */
export function unwrapNullable(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema
}

/** Parses a value given as text. Lists are JSON or separated by commas. Text that does not fit is left for the schema to refuse. */
export function parseSettingText(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodNullable) {
    return text === '' || text === 'null' ? null : parseSettingText(schema.unwrap() as z.ZodType, text)
  }
  if (schema instanceof z.ZodDefault) return parseSettingText(schema.unwrap() as z.ZodType, text)
  if (schema instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text
  if (schema instanceof z.ZodNumber) return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (schema instanceof z.ZodUnion) {
    const values = listOptions(schema).map((option) => parseSettingText(option, text))
    return values.find((value) => schema.safeParse(value).success) ?? text
  }
  if (schema instanceof z.ZodArray) return parseListText(text)
  return text
}

function listOptions(schema: z.ZodUnion): readonly z.ZodType[] {
  return schema.options as readonly z.ZodType[]
}

/** The schema's own default. Only settings that were added later, and may be left out, have one. */
export function getSchemaDefault(schema: z.ZodType): { readonly value: unknown } | undefined {
  return schema instanceof z.ZodDefault ? { value: schema.parse(undefined) } : undefined
}

export function findNearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(word.length * 0.4)) + 1
  for (const candidate of candidates) {
    // The word may be the beginning of a longer name.
    const distance = candidate.startsWith(`${word}_`) ? 1 : editDistance(word, candidate)
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

function getChildSchema(schema: z.ZodType, key: string): z.ZodType | undefined {
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined
  if (!(schema instanceof z.ZodRecord)) return undefined
  return (schema.keyType as z.ZodType).safeParse(key).success ? (schema.valueType as z.ZodType) : undefined
}

function listPathsUnder(schema: z.ZodType, keys: readonly string[], profiles: readonly string[]): string[] {
  if (!isSettingsGroup(schema)) return [keys.join('.')]
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : profiles
  return names.flatMap((name) => listPathsUnder(getChildSchema(schema, name) as z.ZodType, [...keys, name], profiles))
}

function describeExpectedNumber({ minValue, maxValue, isInt, def }: z.ZodNumber): string {
  const what = isInt ? 'a whole number' : 'a number'
  const exclusive = def.checks?.some((check) => (check._zod.def as { inclusive?: boolean }).inclusive === false)
  const hasMost = maxValue !== null && maxValue < Number.MAX_SAFE_INTEGER
  if (exclusive) return `${what} above ${minValue}${hasMost ? ` and up to ${maxValue}` : ''}`
  return hasMost ? `${what} from ${minValue} to ${maxValue}` : `${what} of at least ${minValue}`
}

function describeExpectedList({ element }: z.ZodArray): string {
  const { description } = element as z.ZodType
  return description === undefined ? 'a list of texts, none of them empty' : `a list, and each of it ${description}`
}

function parseListText(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return []
  if (!trimmed.startsWith('[')) return trimmed.split(',').map((each) => each.trim())
  return parseJsonIfValid(trimmed) ?? text
}

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[other.length]!
}
