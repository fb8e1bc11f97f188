// The Compose file can't be run here (no Docker engine), so it is read: against the official schema (dclint ships it) and for what a
// schema can't see. A wrong image, or a wrong variable of one, is not found.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { packageRoot } from '../../src/runtime/home/package-root.ts'

interface Service {
  readonly image?: string
  readonly build?: unknown
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly configs?: readonly { readonly source: string }[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: unknown
  readonly restart?: string
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly configs: Readonly<Record<string, unknown>>
}

const read = (path: string) => readFileSync(join(packageRoot(), path), 'utf8')
const compose = parse(read('docker-compose.yml')) as Compose
const services = Object.entries(compose.services)

function validator() {
  const schema = JSON.parse(read('node_modules/dclint/schemas/compose.schema.json'))
  const { $schema: _draft07IsTheDefault, ...rules } = schema
  return new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(rules)
}

test('docker-compose.yml keeps to the Compose schema', () => {
  const validate = validator()
  assert.equal(validate(compose), true, JSON.stringify(validate.errors, null, 2))
})

test('the schema sees a key that Compose does not know, and a value of the wrong type', () => {
  const validate = validator()
  assert.equal(validate({ services: { worker: { image: 'a:1', grace: '1s' } } }), false)
  assert.equal(validate({ services: { worker: { image: 'a:1', ports: '8080:80' } } }), false)
})

test('every image is pinned to a version', () => {
  const loose = services.filter(
    ([, { image, build }]) => build === undefined && !/:\d+\.\d+(\.\d+)?$/.test(image ?? ''),
  )
  assert.deepEqual(loose, [])
})

test('a service waits only for one that can say it is ready, or that ends', () => {
  for (const [name, { depends_on = {} }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const target = compose.services[other]
      assert.ok(target, `${name} waits for ${other}, which is not there`)
      if (condition === 'service_healthy') assert.ok(target.healthcheck, `${other} has no healthcheck for ${name}`)
      if (condition === 'service_completed_successfully') assert.match(target.restart ?? 'no', /^(no|on-failure)/)
    }
  }
})

test('volumes and configurations are declared, and no port is open to the network', () => {
  for (const [name, { volumes = [], configs = [], ports = [] }] of services) {
    const named = volumes.map((volume) => volume.split(':')[0] ?? '').filter((source) => /^\w+$/.test(source))
    for (const volume of named) assert.ok(volume in compose.volumes, `${name}: volume ${volume}`)
    for (const { source } of configs) assert.ok(source in compose.configs, `${name}: config ${source}`)
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, `${name}: ${port}`)
  }
})

test('the image has the versions of Node and of both CLIs that the tests use', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  const dockerfile = read('Dockerfile')
  assert.deepEqual(
    [...dockerfile.matchAll(/^FROM node:([\d.]+)/gm)].map(([, version]) => version),
    [devDependencies.node, devDependencies.node],
  )
  assert.match(dockerfile, new RegExp(`^ARG CLAUDE_CODE=${devDependencies['@anthropic-ai/claude-code']}$`, 'm'))
  assert.match(dockerfile, new RegExp(`^ARG GEMINI_CLI=${devDependencies['@google/gemini-cli']}$`, 'm'))
})
