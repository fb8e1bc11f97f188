// Secrets that were never anybody's, one of each kind that is looked for. Put together from pieces, so that no scanner of this
// repository takes them for real.

const pick = (alphabet: string, length: number): string =>
  Array.from({ length }, (_, index) => alphabet[(index * 7 + length) % alphabet.length]).join('')
const word = (length: number) => pick('aB3dE5gH7jK9mN2pQ4sT6vW8xY0', length)
const letters = (length: number) => pick('aBdEgHjKmNpQsTvWxYzUiO', length)
const hex = (length: number) => pick('0a1b2c3d4e5f6789', length)
const upper = (length: number) => pick('A2B3C4D5E6F7G', length)
const json = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** As long as such a thing has to be to end in a whole character. */
function servicePass(): string {
  const pass = (more: string) => JSON.stringify({ email: word(20), secretKey: word(30), muk: { k: word(43) }, more })
  const [fitting = ''] = ['', 'a', 'ab'].map(pass).filter(({ length }) => length % 3 === 1)
  return Buffer.from(fitting).toString('base64')
}

/** By the rule of the detector that knows it. */
export const OF_THE_DETECTOR: Readonly<Record<string, string>> = {
  aws: `AWS_SECRET_ACCESS_KEY="${word(40)}"`,
  npm: `npm_${word(36)}`,
  slack: `xoxb-${hex(12)}-${hex(12)}-${word(24)}`,
  sendgrid: `SG.${word(22)}.${word(43)}`,
  shopify: `shpat_${hex(32)}`,
  stripe: `sk_live_${word(30)}`,
  github: `ghp_${word(36)}`,
  gitlab: `glpat-${word(20)}`,
  grafana: `glsa_${word(32)}_${hex(8)}`,
  openai: `sk-${letters(20)}T3BlbkFJ${letters(20)}`,
  anthropic: `sk-ant-api03-${word(93)}AA`,
  groq: `gsk_${word(52)}`,
  huggingface: `hf_${letters(34)}`,
  linear: `lin_api_${word(40)}`,
  notion: `ntn_${'12345678901'}${word(35)}`,
  '1password': `ops_${servicePass()}`,
  'database-connection-string': `mongodb+srv://service:${word(14)}@cluster0.internal.net/orders`,
  'hashicorp-vault': `hvs.${word(95)}`,
  vercel: `vcp_${word(56)}`,
  databricks: `dapi${hex(32)}`,
  docker: `dckr_pat_${word(27)}`,
  figma: `figd_${word(43)}`,
  cloudflare: `cfut_${word(40)}${hex(8)}`,
  tailscale: `tskey-auth-${word(16)}-${word(32)}`,
  basicauth: `https://deploy:${word(16)}@packages.internal.net/simple`,
  privatekey: `-----BEGIN RSA ${'PRIVATE'} KEY-----\nMIIE${word(60)}\n${word(64)}\n${word(40)}==\n-----END RSA ${'PRIVATE'} KEY-----`,
}

export const OURS: Readonly<Record<string, string>> = {
  'web-token': `${json({ alg: 'HS256', typ: 'JWT' })}.${json({ sub: '1234567890', admin: true })}.${word(43)}`,
  'aws-key-id': `AKIA${upper(16)}`,
  'google-api-key': `AIza${word(35)}`,
  'google-oauth': `ya29.${word(60)}`,
  anthropic: `sk-ant-oat01-${word(80)}`,
  openai: `sk-proj-${word(90)}`,
  'url-password': `redis://cache:${word(12)}@10.0.0.3:6379`,
  authorization: `Authorization: Bearer ${word(40)}`,
  'private-key': `-----BEGIN ${'PRIVATE'} KEY-----\nMIIE${word(60)}\n${word(64)}`,
}

/** What of it must not be readable afterwards. */
export function secretPart(token: string): string {
  const inAddress = /:\/\/[^:]+:([^@]+)@/.exec(token)?.[1]
  return inAddress ?? /[\w./+-]{12,}(?=["=\s]*(?:\n-----END.*)?$)/.exec(token)?.[0] ?? token
}
