// The service behind TLS of its own, as an address that other machines reach needs it.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../store/support.ts'
import { makeCertificate, NO_OPENSSL } from '../support/certificate.ts'
import { serveDesk } from './support.ts'

test('the service speaks TLS with the operator’s certificate, and says so where its files can’t be used', {
  skip: NO_OPENSSL,
}, async (t) => {
  const folder = temporaryFolder(t)
  const { key: tls_key, certificate: tls_certificate } = makeCertificate(folder)
  const open = { host: '0.0.0.0', names: ['localhost'] }
  const { server, tokens } = await serveDesk(t, { ...open, tls_key, tls_certificate })
  assert.match(server.createLoginUrl(), /^https:\/\/localhost:\d+\/#login=/)
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { ca: readFileSync(tls_certificate), headers: { authorization: `Bearer ${tokens.viewer}` } }
    const asked = request(`https://localhost:${server.port}/api/version`, { ...options, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject).end()
  })
  assert.equal(status, 200)

  const none = join(folder, 'none.pem')
  writeFileSync(none, 'no key')
  for (const [files, code, says] of [
    [{ tls_key }, 'settings_invalid', /belong together/],
    [{ tls_key: join(folder, 'gone.pem'), tls_certificate }, 'file_unusable', /ENOENT/],
    [{ tls_key: none, tls_certificate }, 'file_unusable', /server\.tls_… can't be used/],
  ] as const)
    await assert.rejects(serveDesk(t, { ...open, ...files }), (error: Error & { code?: string }) => {
      assert.equal(error.code, code, error.message)
      assert.match(error.message, says)
      return true
    })
})
