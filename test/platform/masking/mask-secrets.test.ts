// What is masked, what is not, and what stays as it was around it.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import fc from 'fast-check'
import { createMasking } from '../../../src/platform/masking/mask-secrets.ts'
import { isSuspicious } from '../../../src/platform/masking/patterns.ts'
import { packageRoot } from '../../../src/runtime/home/package-root.ts'
import { OF_THE_DETECTOR, OURS, secretPart } from './tokens.ts'

const { maskAndCount, maskText: masked, maskKeepingLines, maskValues, maskFile, isClean } = createMasking({})
const TOKENS = [...Object.values(OF_THE_DETECTOR), ...Object.values(OURS)]

test('a token of every kind that the detector or we know is masked, wherever it stands [S4-17]', async () => {
  for (const [kind, token] of [...Object.entries(OF_THE_DETECTOR), ...Object.entries(OURS)]) {
    const secret = secretPart(token)
    const places = [
      token,
      `say ${token} twice: ${token}`,
      `+  value = '${token}'\n`,
      `\x1b[1;31m${token}\x1b[0m`,
      JSON.stringify(`\x1b[31m${token}\x1b[0m`),
      `"\\x1b[31m${token}\\x1b[0m" \\033[31m${token}\\e[0m`,
      `?next=%2F%3Ftoken%3D${token}%26more`,
      JSON.stringify({ a: `before\n${token}\nafter` }),
      JSON.stringify({ inner: JSON.stringify({ a: `\n${token}\t"` }) }),
    ]
    for (const place of places) {
      const after = await masked(place)
      assert.ok(!after.includes(secret), `${kind} is still there: ${after}`)
      assert.match(after, /«secret:[a-z0-9-]+:[0-9a-f]{4}»/)
      assert.ok(!isClean(place), `${kind} did not look suspicious`)
      if (place.startsWith('{')) assert.doesNotThrow(() => JSON.parse(after), `${kind} broke its JSON: ${after}`)
    }
  }
})

test('a text of which a piece is cut out keeps its number of lines, however many a secret had', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const [before, after] = ['x\n'.repeat(7), 'y\n'.repeat(40_000)]
  const kept = await maskKeepingLines(`${before}${key}${after}`)
  assert.ok(!kept.includes(key.split('\n')[5] ?? ''))
  assert.equal(kept.split('\n').length, `${before}${key}${after}`.split('\n').length)
  assert.ok(kept.startsWith(before) && kept.endsWith(after))
})

test('paths stay after the beginning of a private key that is only named: in a prompt, a reply and a diff', async () => {
  const begin = `-----BEGIN RSA ${'PRIVATE'} KEY-----`
  const end = begin.replace('BEGIN', 'END')
  const paths = [
    'src/main/java/com/acme/orders/v2/service/OrderServiceV2.java',
    'packages/web/src/components/checkout/CheckoutSummary2.tsx',
    'deploy/Images2/production/checkout-service/of-the-shop/Dockerfile',
  ]
  const [one, two, three] = paths
  const issues = [
    { issue_code: 'S-1', file: one, description: `The constant begins with ${begin} and ships in the jar.` },
    { issue_code: 'S-2', file: two, description: 'It ends there # as ever' },
    { issue_code: 'S-3', file: three, description: `Where is its ${end}?` },
  ]
  const reply = { results: [{ changes_summary: `took the ${begin} literal out`, file_modified: paths }] }
  const diff = [
    ...['diff --git', '---', '+++'].map((head) => `${head} a/${one} b/${one}`),
    ...['@@ -1,2 +1,2 @@', `-  String K = "${begin}";`, `-  String end = "${end}";`],
    ...['+  String K = System.getenv("K");', `+// ${begin}`, `diff --git a/${two} b/${two}`, `+++ b/${two}`, ''],
  ].join('\n')
  for (const text of [
    JSON.stringify(issues),
    JSON.stringify(issues, null, 1),
    JSON.stringify(issues.slice(0, 2), null, 1),
    JSON.stringify(reply),
    diff,
    `${begin} in ${paths.join(', ')}`,
    `${begin}\n${paths.join('\n')}\n`,
    `${begin}\n  Enabled: false\n  Exclude: src\n${end}`,
    `${begin} block of ${one?.replace(/\..*/, '')} to ${end}`,
  ])
    assert.equal(await masked(text), text)
})

test('a private key is masked where it is cut off, or put together from pieces', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trimEnd()
  const [begin = '', ...rest] = pem.split('\n')
  const key = rest.slice(0, -1)
  const all = [begin, ...rest]
  const cut = all.slice(0, 6)
  const path = 'src/main/java/com/acme/orders/service/OrderService.java'
  const old = [...key.slice(0, 3), `${key[3]?.slice(0, 20)}`]
  for (const text of [
    pem,
    all.map((line) => `+${line}`).join('\n'),
    JSON.stringify({ all: pem }),
    pem.replaceAll('\n', ' '),
    all.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join('\n'),
    all.map((line) => `key.append("${line}\\n");`).join('\n'),
    [begin, 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF', '', ...rest].join('\n'),
    cut.join('\n'),
    cut.map((line) => `  "${line}\\n" + // NOSONAR`).join('\n'),
    cut.map((line) => `'${line}',`).join('\n'),
    JSON.stringify(cut.join('\n')),
    cut.map((line) => `2026-11-19T03:30:01Z INFO web_1 | ${line}`).join('\n'),
    cut.map((line, at) => `certs/key.pem${at === 0 ? ':7:' : `-${at + 7}-`}${line}`).join('\n'),
    JSON.stringify(cut.map((line) => `${line}\\n`)),
    [` ${begin}`, ...old.map((line) => `-${line}`), ...key.slice(3, 6).map((line) => `+${line}`)].join('\n'),
  ]) {
    const after = await masked(`${text}\n${path}\n`)
    for (const line of key.slice(0, 5)) assert.ok(!after.includes(line.slice(1, 40)), after)
    assert.ok(after.includes(begin) && after.endsWith(`\n${path}\n`), after)
  }
  const diff = await maskKeepingLines(all.map((line) => `+${line}\n`).join(''))
  assert.match(diff, /^\+-+BEGIN.*\n\+«secret:private-key:\w{4}»\n/)
  assert.match(diff, /\n\+-+END.*\n$/)
})

test('every rule of the detector has its token here, so that an update with new ones can not outrun what looks suspicious', () => {
  // Those two look at files of theirs, whose text the others know.
  const apart = ['gcp', 'filter-comments']
  const known = rules.map(({ meta }) => meta.id.replace(/^.*secretlint-rule-/, ''))
  assert.deepEqual(known.filter((rule) => !apart.includes(rule)).sort(), Object.keys(OF_THE_DETECTOR).sort())
})

test('a comment in the text can not switch the detector off', async () => {
  const token = OF_THE_DETECTOR.github ?? ''
  assert.doesNotMatch(await masked(`// secretlint-disable\n${token}\n`), /ghp_/)
})

test('the same secret has the same mark, another one another', async () => {
  const [one = '', other = ''] = [OF_THE_DETECTOR.github, OF_THE_DETECTOR.github?.replace(/.{4}$/, 'ZZZZ')]
  const [first, again, different] = (await masked(`${one} ${one} ${other}`)).split(' ')
  assert.equal(first, again)
  assert.notEqual(first, different)
})

test('the operator’s own secrets are masked exactly, as they are and as JSON and URLs write them', async () => {
  const own = createMasking({
    MY_SERVICE_TOKEN: 'plain-words-but-mine',
    DB_PASSWORD: 'a "quoted" p\\ss\u{1F511}',
    apiKey: 'camel-case-name',
    SHORT_KEY: '1234567',
    TOKENIZER: 'not-a-secret-name',
    KEY_FILE: '/etc/hostname',
    PATH: '/usr/bin:/bin',
  })
  const after = await own.maskText(
    `x plain-words-but-mine ${JSON.stringify('a "quoted" p\\ss\u{1F511}')} a%20%22quoted%22%20p%5Css%F0%9F%94%91 camel-case-name 1234567 not-a-secret-name /etc/hostname /usr/bin:/bin`,
  )
  assert.match(
    after,
    /^x «secret:env-my-service-token:\w{4}» "«secret:env-db-password:\w{4}»" «secret:env-db-password:\w{4}» «secret:env-apikey:\w{4}» 1234567 not-a-secret-name \/etc\/hostname \/usr\/bin:\/bin$/,
  )
})

test('the operator’s own secrets are known by the names that their tools want, and other names are left alone', async () => {
  const names = (all: string) => Object.fromEntries(all.split(' ').map((name) => [name, `value of ${name}`]))
  const secrets = names(
    'PGPASSWORD SSHPASS MYSQL_PWD DBPWD REDISCLI_AUTH DOCKER_AUTH_CONFIG GITHUBTOKEN githubToken npm_config__auth CLIENTSECRET MYAPIKEY SECRETKEY LDAP_BINDPASSWD TOKEN2 PGPASSWORDS GPG_PASSPHRASE COMPANYPASS',
  )
  const others = names(
    'TOKENIZER PWD OLDPWD BYPASS COMPASS SSH_ASKPASS VSCODE_GIT_ASKPASS_EXTRA_ARGS MONKEY GIT_AUTHOR_NAME OAUTH AUTH_URL AUTHORITY PASSENGER KEYBOARD SECRETARY PATH SSH_AUTH_SOCK',
  )
  const own = createMasking({ ...secrets, ...others })
  for (const value of Object.values(secrets)) assert.match(await own.maskText(value), /^«secret:env-/, value)
  for (const value of Object.values(others)) assert.equal(await own.maskText(value), value)
})

test('a password that is published as a default, and a word that says how to sign in, leave texts and paths as they are', async () => {
  const own = createMasking({ DB_PASSWORD: 'postgres', PGPASSWORD: 'Postgres', AUTH: 'required', KEY: 'password' })
  const text = 'src/postgres/pool.ts: a password is required by postgres:16'
  assert.equal(await own.maskText(text), text)
  assert.match(await createMasking({ PGPASSWORD: 'postgres1' }).maskText('is postgres1'), /^is «secret:env-pgpassword:/)
})

test('a value is masked within, and is the same one where it holds no secret', async () => {
  const clean = { a: ['b', 1, null] }
  assert.equal(await maskValues(clean), clean)
  const token = OF_THE_DETECTOR.github ?? ''
  const after = await maskValues({ a: [`x ${token}`, 1, null, true], b: { c: 'd' } })
  assert.match(after.a[0] as string, /^x «secret:github:/)
  assert.deepEqual({ ...after, a: after.a.slice(1) }, { a: [1, null, true], b: { c: 'd' } })
})

const Texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(...TOKENS),
    fc.constantFrom('\n', '\\', '\\n', '"', "'", '://', '@', ' ', '«secret:x:0000»', '\u{1F600}', '-----BEGIN '),
  ),
  { maxLength: 12 },
)

test('what was masked has nothing left to mask, no character is cut, and JSON stays JSON', async () => {
  const property = fc.asyncProperty(Texts, async (pieces) => {
    const all = pieces.join('')
    const once = await masked(all)
    assert.equal(await masked(once), once)
    assert.equal(once.isWellFormed(), all.isWellFormed())
    const inJson = await masked(JSON.stringify({ all, pieces }))
    assert.deepEqual(Object.keys(JSON.parse(inJson)), ['all', 'pieces'])
  })
  await fc.assert(property, { numRuns: 300 })
})

test('no token survives between other words', async () => {
  const words = fc.array(fc.constantFrom('const', '=', '(x)', '{', '}', 'ä', '\u{1F600}', '//', '#'), { maxLength: 5 })
  const property = fc.asyncProperty(words, fc.constantFrom(...TOKENS), words, async (before, token, after) => {
    const text = await masked([...before, token, ...after].join(' '))
    assert.ok(!text.includes(secretPart(token)), text)
    for (const each of [...before, ...after]) assert.ok(text.includes(each))
  })
  await fc.assert(property, { numRuns: 300 })
})

test('ordinary code is left as it is: nothing in the source of this repository is a secret', async () => {
  const files = globSync('{src,agents,config,docs,rehearsal}/**/*.{ts,md,yaml,json}', { cwd: packageRoot() })
  assert.ok(files.length > 100)
  for (const name of files) {
    const text = readFileSync(join(packageRoot(), name), 'utf8')
    assert.equal((await maskAndCount(text)).secretCount, 0, name)
  }
  for (const text of ['https://user:$PASSWORD@host/', 'https://user:password@example.com', 'task-0123456789abcdef'])
    assert.equal(await masked(text), text)
})

test('a long text is masked whole, also where its pieces meet, in bounded time whoever wrote it', async () => {
  const token = OF_THE_DETECTOR.github ?? ''
  const key = OF_THE_DETECTOR.privatekey ?? ''
  const ends = ['\n', '"} ', '"', ',', ')', ',\x1b[1;31m', '","\\n']
  for (const line of [`${key}\n`, ...ends.map((end) => `ordinary${end}${token}${end}`), `[${token}],`]) {
    const after = await maskAndCount(line.repeat(Math.ceil(300_000 / line.length)))
    assert.doesNotMatch(after.text, /ghp_|MIIE/)
  }
  const startedAt = performance.now()
  const begin = `-----BEGIN ${'PRIVATE'} KEY-----\n`
  const hostile = [
    '-----BEGIN PRIVATE KEY-----\nAAAA',
    'SG.a.'.padEnd(261, 'a'),
    '://a:',
    'xoxb-1-',
    'eyJaaaaaaaaaaaa.',
    `${'\\'.repeat(60_000)}z ${token} `,
    ...['aB1/', '#', ' ', '+', '\n', '- ', '1\n'].map((text) => `${begin}${text.repeat(60_000).slice(0, 15_900)}.`),
    ...['aB1/', ' ', 'a\n'].map((text) => `${begin}${text.repeat(60_000).slice(0, 15_900)}!-----END `),
  ]
  for (const part of hostile) await maskAndCount(part.repeat(Math.ceil(1_000_000 / part.length)))
  assert.ok(performance.now() - startedAt < 20_000)
})

test('a file is copied only where it holds a secret, and then without it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'masking-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  writeFileSync(from, 'nothing\n'.repeat(50_000))
  assert.equal(await maskFile(from, to), 0)
  assert.deepEqual(globSync('*', { cwd: folder }), ['from'])
  const lines = (secret: string) => `${'words and ü \u{1F600}\n'.repeat(20_000)}${secret}\n`.repeat(2)
  writeFileSync(from, lines(OF_THE_DETECTOR.github ?? ''))
  assert.equal(await maskFile(from, to), 2)
  assert.equal(readFileSync(to, 'utf8'), lines(await masked(OF_THE_DETECTOR.github ?? '')))
})

test('a glance at a text without secrets costs microseconds', () => {
  const event = 'fixing src/orders/total.ts again, with what the gates said (attempt 2)'
  assert.equal(isSuspicious(event), false)
  const startedAt = performance.now()
  for (let time = 0; time < 10_000; time++) isClean(event)
  assert.ok((performance.now() - startedAt) / 10_000 < 0.1)
})

test('a variable that the operator named is secret whatever its name says, and so is the password in its address', async () => {
  const environment = { DATABASE_URL: 'postgres://shop:seven-brown-horses@db.internal/shop', REGION: 'eu-west-1' }
  const { maskText } = createMasking(environment, ['DATABASE_URL'])
  assert.match(await maskText(`at ${environment.DATABASE_URL}!`), /^at «secret:env-database-url:[0-9a-f]{4}»!$/)
  assert.match(
    await maskText('as shop with seven-brown-horses'),
    /^as shop with «secret:env-database-url:[0-9a-f]{4}»$/,
  )
  assert.equal(await maskText('in eu-west-1 at db.internal'), 'in eu-west-1 at db.internal')
})
