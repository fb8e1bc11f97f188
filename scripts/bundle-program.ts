// Makes few files of the program's many: loading them takes longer than all else that most commands do. Without --cache the files are
// those of the package, in dist/; with it (npm ci) those of a checkout, which bin/fixwright takes while no source is newer.
import crypto from 'node:crypto'
import { globSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { escapeBeyondAscii } from '../src/domain/text/escape-beyond-ascii.ts'
import { packageRoot } from '../src/runtime/home/package-root.ts'
import { readDefaultSettings } from '../src/runtime/settings/default-settings.ts'
import { KYSELY_PARTS } from '../src/store/sqlite/load-kysely.ts'
import { removeUnusedFiles } from './remove-unused-files.ts'

/** The files that are named from outside of them: by bin/fixwright, package.json, and each other as they start processes. */
const ENTRIES = [
  'app/index',
  'cli/main',
  'client/index',
  'platform/git/helper-main',
  'platform/sandbox/egress/relay-main',
  'runtime/instance/instance-main',
  'runtime/worker/worker',
]

/** These have native parts, files that they look for beside themselves, or a life of their own in a file of ours. */
const LEFT_OUT = [/^@temporalio\//, /^@secretlint\//, /^pino$/, /^swagger-ui-dist/, /^kysely$/, /^@aws-sdk\//]

const KYSELY = 'virtual:kysely'
/** The fifty languages of zod's messages would be a third of what `up` loads; ours are English. */
const ZOD_LOCALES = 'zod/v4/locales/index.js'
const OWN_PLACE = '__FIXWRIGHT_PLACE__'

const begun = new Date()
const root = packageRoot()
const isCached = process.argv.includes('--cache')
const target = join(root, isCached ? 'node_modules/.cache/fixwright/program' : 'dist')
const unfinished = isCached ? `${target}.${process.pid}` : target

/** Every module goes on to see the place in the tree where it would lie alone, and finds its neighbours by it. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  resolveId: (id) => (id === KYSELY ? id : undefined),
  load(id) {
    if (id === KYSELY) return `export { ${KYSELY_PARTS.join(', ')} } from '${kyselyFile()}'`
    return id.endsWith(ZOD_LOCALES) ? "export { default as en } from './en.js'" : undefined
  },
  transform(code, id) {
    if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta.url')) return undefined
    const place = `${OWN_PLACE}/${relative(join(root, 'src'), id).replace(/\.ts$/, '.js')}`
    return { code: code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`) }
  },
  renderChunk: (code, { fileName }) => ({
    code: withoutFacades(code.replaceAll(OWN_PLACE, relative(dirname(fileName), '') || '.')),
  }),
  generateBundle(_, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = escapeBeyondAscii(file.code)
  },
}

/** Loading it takes longer than most of our modules, and few commands call any of it. */
const LATE_BUILTIN = 'node:crypto'

/** An import of one of node's modules asks each of its exports for its value, and so loads all that node itself loads only when asked. */
function withoutFacades(code: string): string {
  return code
    .replaceAll(/^import \{ (.+) \} from "(node:[\w/]+)";$/gm, (_, names: string, module: string) => {
      if (module === LATE_BUILTIN) return names.split(', ').map(declareLate).join('\n')
      return `const { ${names.replaceAll(' as ', ': ')} } = ${getBuiltin(module)};`
    })
    .replaceAll(/^import (?:\* as )?([\w$]+) from "(node:[\w/]+)";$/gm, (_, name: string, module: string) => {
      return `const ${name} = ${getBuiltin(module)};`
    })
    .replaceAll(/\b__require\("(node:[\w/]+)"\)/g, (_, module: string) => getBuiltin(module))
}

/** Only a function can be called late: anything else is read when its file is loaded. */
function declareLate(imported: string): string {
  const [name = '', local = name] = imported.split(' as ')
  const value = `${getBuiltin(LATE_BUILTIN)}.${name}`
  const isFunction = typeof Reflect.get(crypto, name) === 'function' && /^[a-z]/.test(name)
  return `const ${local} = ${isFunction ? `(...args) => ${value}(...args)` : value};`
}

function getBuiltin(module: string): string {
  return `globalThis.process.getBuiltinModule("${module}")`
}

/** Its bare name is left to the code that loads the file made from it. */
function kyselyFile(): string {
  return join(root, 'node_modules/kysely/dist/index.js')
}

const program = await rolldown({
  input: {
    ...Object.fromEntries(ENTRIES.map((name) => [name, join(root, 'src', `${name}.ts`)])),
    kysely: KYSELY,
  },
  platform: 'node',
  external: LEFT_OUT,
  plugins: [keepPlaces],
  transform: { define: { FIXWRIGHT_BUNDLED_DEFAULTS: JSON.stringify(JSON.stringify(readDefaultSettings())) } },
})
const { output } = await program.write({
  dir: unfinished,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
})
// A sandbox shows this one file alone.
const relay = output.find(({ fileName }) => fileName === 'platform/sandbox/egress/relay-main.js')
if (relay?.type !== 'chunk' || relay.imports.some((file) => !file.startsWith('node:'))) {
  throw new Error('the relay of the sandbox must stand alone')
}
if (isCached) {
  writeFileSync(join(unfinished, 'package.json'), '{ "type": "module" }\n')
  // Main comes last: with it the other files count. A source that changed meanwhile is newer than it.
  const main = join('cli', 'main.js')
  utimesSync(join(unfinished, main), begun, begun)
  for (const file of [...listFiles(unfinished).filter((each) => each !== main), main]) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    renameSync(join(unfinished, file), join(target, file))
  }
  rmSync(unfinished, { recursive: true })
  removeUnusedFiles(target)
}

function listFiles(folder: string): string[] {
  return globSync('**/*.{js,json}', { cwd: folder })
}
