// GitHub's own description of its REST API, as far as Fixwright calls it: requests are checked against it, answers are built from it and
// checked, too. description.json is cut from @octokit/openapi 23.0.2 (MIT), with `nullable` in the words of JSON Schema.
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minimum?: number
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>
}

const whole = JSON.parse(readFileSync(new URL('description.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, coerceTypes: false })
ajv.addSchema(whole, 'github')

export interface Call {
  readonly id: string
  readonly path: Readonly<Record<string, string>>
}

const routes = Object.entries(whole.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    template,
    operation,
    pattern: new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, (_, name) => `(?<${name}>[^/]+)`)}$`),
  })),
)

export function findCall(method: string, path: string): Call | undefined {
  for (const route of routes) {
    const found = route.method === method ? route.pattern.exec(path) : null
    if (found) return { id: route.operation.operationId, path: { ...found.groups } }
  }
  return undefined
}

/** What the description, and what we know beyond it, has against a request. */
export function checkRequest({ id }: Call, query: URLSearchParams, body: unknown): string[] {
  const { operation } = routeOf(id)
  const known = (operation.parameters ?? [])
    .map((each) => resolve<Parameter>(each))
    .filter((each) => each.in === 'query')
  const problems = [...query].flatMap(([name, value]) => {
    const parameter = known.find((each) => each.name === name)
    if (!parameter) return [`the query ${name} is unknown`]
    const { type } = parameter.schema
    const typed = type === 'integer' ? Number(value) : type === 'boolean' ? value === 'true' : value
    return [
      ...check(`${id}?${name}`, parameter.schema, typed),
      ...(name === 'per_page' && Number(value) > 100 ? ['per_page is over 100'] : []),
    ]
  })
  const schema = operation.requestBody?.content?.['application/json']?.schema
  if (!schema) return problems
  const keys = Object.keys(resolve<Schema>(schema).properties ?? {})
  // The description is open: GitHub drops what it does not know without a word, and a misspelt key would never be noticed.
  const unknown = Object.keys((body ?? {}) as object).filter((key) => keys.length > 0 && !keys.includes(key))
  return [...problems, ...unknown.map((key) => `the key ${key} is unknown`), ...check(id, schema, body ?? {})]
}

/** An answer with these values, filled up with what the description demands; throws if the description does not allow it. */
export function buildAnswer({ id }: Call, status: number, values: unknown): unknown {
  const response = resolve<Content>(routeOf(id).operation.responses[`${status}`] ?? {})
  if (status === 204) return undefined
  const schema = response.content?.['application/json']?.schema
  if (!schema) throw new Error(`${id} has no answer ${status}`)
  const answer = fill(schema, values)
  const problems = check(`${id}=${status}`, schema, answer)
  if (problems.length > 0) throw new Error(`an answer of ${id} is none of GitHub's: ${problems.slice(0, 5).join('; ')}`)
  return answer
}

const checks = new Map<string, ValidateFunction>()

function check(key: string, schema: Schema, value: unknown): string[] {
  const validate = checks.get(key) ?? ajv.compile(absolute(schema) as object)
  checks.set(key, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }: ErrorObject) => `${instancePath || 'it'} ${message}`)
}

/** References point into the whole description. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [
    key,
    key === '$ref' && typeof each === 'string' ? `github${each}` : absolute(each),
  ])
  return Object.fromEntries(entries)
}

function fill(given: Schema, value: unknown): unknown {
  const schema = resolve<Schema>(given)
  const { allOf, anyOf, oneOf, properties, required = [], type } = schema
  if (value === null) return null
  const choices = anyOf ?? oneOf
  if (choices) {
    if (value === undefined && choices.some((each) => resolve<Schema>(each).type === 'null')) return null
    return fill(pick(choices, value), value)
  }
  if (allOf && !properties) return Object.assign({}, ...allOf.map((each) => fill(each, value) as object))
  const kind = typeof type === 'string' ? type : type?.find((each) => each !== 'null')
  if (value === undefined) {
    if (Array.isArray(type) && type.includes('null')) return null
    if (schema.enum) return schema.enum[0]
    if (kind === 'array') return []
    if (kind === 'integer' || kind === 'number') return schema.minimum ?? 0
    if (kind === 'boolean') return false
    if (kind === 'string')
      return schema.format === 'date-time'
        ? '2026-01-01T00:00:00Z'
        : schema.format === 'uri'
          ? 'https://github.test/'
          : ''
  }
  if (kind === 'array' || Array.isArray(value)) {
    const items = (schema as { readonly items?: Schema }).items
    return (value as unknown[]).map((each) => (items ? fill(items, each) : each))
  }
  if (properties || kind === 'object') {
    const given = (value ?? {}) as Record<string, unknown>
    const names = [...new Set([...Object.keys(given), ...required])]
    return Object.fromEntries(
      names.map((name) => [name, properties?.[name] ? fill(properties[name], given[name]) : given[name]]),
    )
  }
  return value
}

function pick(choices: readonly Schema[], value: unknown): Schema {
  const kinds = choices.filter((each) => {
    const { type, properties } = resolve<Schema>(each)
    if (typeof value === 'string') return type === 'string'
    if (Array.isArray(value)) return type === 'array'
    return type === 'object' || properties
  })
  return kinds[0] ?? choices.find((each) => resolve<Schema>(each).type !== 'null') ?? {}
}

function routeOf(id: string) {
  const found = routes.find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`the description has no ${id}`)
  return found
}

function resolve<T>(value: unknown): T {
  const { $ref } = value as { readonly $ref?: string }
  if ($ref === undefined) return value as T
  return resolve(
    $ref
      .slice(2)
      .split('/')
      .reduce((at: unknown, name) => (at as Record<string, unknown>)[name.replaceAll('~1', '/')], whole),
  )
}
