// The documentation page: Swagger UI as this package brings it, and the table of problems. Nothing is loaded from elsewhere.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ERROR_CODES } from '../../domain/errors/error-codes.ts'
import type { Api } from '../context.ts'
import type { KnownRoute } from '../gate/find-route.ts'

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Fixwright API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="page"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js"></script>
</html>
`

/** Takes the one-use code of the link that \`up\` prints, and removes it from the address. The token stays in this tab. */
const START = `const code = new URLSearchParams(location.hash.slice(1)).get('login')
if (code !== null) history.replaceState(null, '', location.pathname)
async function signIn() {
  if (code === null) return sessionStorage.getItem('fixwright-token')
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch('/api/login', { method: 'POST', headers, body: JSON.stringify({ code }) })
  if (!answer.ok) return sessionStorage.getItem('fixwright-token')
  const { text } = await answer.json()
  sessionStorage.setItem('fixwright-token', text)
  return text
}
const token = await signIn()
const page = SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  onComplete: () => token && page.preauthorizeApiKey('bearer', token),
})
`

export const DOCUMENT_ROUTES: readonly KnownRoute[] = [
  '/',
  '/docs',
  '/docs/start.js',
  '/docs/problems',
  ...Object.keys(ASSETS).map((name) => `/docs/${name}`),
].map((path) => ({ method: 'GET', path, access: 'public' }))

export function addDocumentRoutes(api: Api): void {
  // The browser keeps the fragment with the login code over this redirection.
  api.get('/', (c) => c.redirect('/docs'))
  api.get('/docs', (c) => c.html(PAGE))
  api.get('/docs/start.js', (c) => c.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }))
  api.get('/docs/problems', (c) => c.html(renderProblems()))
  for (const [name, type] of Object.entries(ASSETS)) {
    api.get(`/docs/${name}`, (c) => {
      const headers = { 'Content-Type': type, 'Cache-Control': 'max-age=3600' }
      return c.body(new Uint8Array(readAsset(name)), 200, headers)
    })
  }
}

function readAsset(name: string): Buffer {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFileSync(join(folder, name))
}

function renderProblems(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { meaning }]) => `<tr id="${code}"><td><code>${code}</code></td><td>${meaning}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Problems of the Fixwright API</title>
<h1>Problems</h1>
<table><tr><th>code</th><th>means</th></tr>
${rows.join('\n')}
</table>
</html>
`
}
