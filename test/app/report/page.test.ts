// The HTML report in a real browser: what people see of it on a phone and on a desk, by day and by night.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { renderReport } from '../../../src/app/report/render/formats.ts'
import type { IssueReport, Report } from '../../../src/app/report/report-model.ts'
import { compareRuns } from '../../../src/domain/verification/compare-runs.ts'
import { NO_CHROMIUM, openChromium } from '../../support/chromium.ts'
import { issueWith, reportWith, SHA, TREE } from './support.ts'

const DIFF = `diff --git a/web/src/components/cart/CartSummaryWithDiscounts.tsx b/web/src/components/cart/CartSummaryWithDiscounts.tsx
--- a/web/src/components/cart/CartSummaryWithDiscounts.tsx
+++ b/web/src/components/cart/CartSummaryWithDiscounts.tsx
@@ -10,5 +10,6 @@ export function total(cart) {
 const items = cart.items.filter(({ isAvailable, quantity }) => isAvailable && quantity > 0)
-const sum = items.reduce((all, item) => all + item.price, 0)
+if (items.length === 0) return 0
+const sum = items.reduce((all, item) => all + item.price * item.quantity, 0)
 const discount = ${'veryLongNameWithoutAnyBreak'.repeat(8)}
 return sum - discount
`

function issue(index: number, more: Partial<IssueReport>): IssueReport {
  const run = (outcome: string) => [
    { command: 'npm test -- --coverage', outcome, output: `${'x'.repeat(300)}\nfailed` },
  ]
  const commands = compareRuns(run('passed'), run(more.state === 'failed' ? 'failed: exit status 1' : 'passed'))
  return issueWith('A sentence that somebody wrote about the cart.', {
    issue_code: `SECURITY-CART-${index}`,
    title: 'Discounts are applied twice when the cart is opened in a second tab, and the total is below zero',
    file: 'web/src/components/cart/CartSummaryWithDiscounts.tsx',
    category: 'security',
    unproven: null,
    silenced: [],
    verification: {
      step_id: `s1.i${index}.verify`,
      tree: TREE,
      verdict: more.state === 'failed' ? 'failed' : 'passed',
      commands,
    },
    diff: {
      source: 'commit',
      files: ['web/a.tsx'],
      shared_with: [],
      text: DIFF.replaceAll('items', `items${index}`),
      is_cut: false,
    },
    ...more,
  })
}

function madeReport(): Report {
  const issues = [
    issue(1, { state: 'fixed' }),
    issue(2, { state: 'failed', reason: 'scored 45, below 90' }),
    issue(3, { state: 'fixed', unproven: `no check could say anything of it: ${'a/long/path'.repeat(20)}` }),
    issue(4, { state: 'fixed' }),
  ]
  const commits = [
    { sha: SHA, message: 'fix(cart): count each discount once', issue_codes: ['SECURITY-CART-1', 'SECURITY-CART-3'] },
  ]
  return { ...reportWith('fix/discounts', issues), commits, counts: { requested: 4, fixed: 3, failed: 1, skipped: 0 } }
}

/** Words of heads and labels that are torn over two lines. */
const TORN_WORDS = `[...document.querySelectorAll('th, h1, h2, .state, summary b')].flatMap((element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const torn = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { index, 0: word } of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) torn.push(word)
    }
  }
  return torn
})`

test('the page is readable on a phone and on a desk, by day and by night: no torn word, no scrolling sideways, nothing loaded', {
  skip: NO_CHROMIUM,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-page-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'report.html')
  writeFileSync(file, renderReport(madeReport(), 'html'))
  const context = await openChromium(t)
  const page = await context.newPage()
  const complaints: string[] = []
  const asked: string[] = []
  page.on('console', (message) => void complaints.push(message.text()))
  page.on('request', (request) => void asked.push(request.url()))
  const address = pathToFileURL(file).href
  const backgrounds = new Set<unknown>()
  for (const width of [360, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.goto(address)
      const look = <T>(expression: string): Promise<T> => page.evaluate(expression)
      await look("document.querySelectorAll('details').forEach((each) => { each.open = true })")
      const where = `${width} px, ${colorScheme}`
      assert.deepEqual(await look(TORN_WORDS), [], where)
      assert.ok((await look<number>('document.documentElement.scrollWidth')) <= width, where)
      backgrounds.add(await look('getComputedStyle(document.body).backgroundColor'))
      const [old, now] = await look<[DOMRectLike, DOMRectLike]>(
        "[...document.querySelectorAll('.diff del, .diff ins')].slice(0, 2).map((each) => each.getBoundingClientRect().toJSON())",
      )
      const isBeside = old.top === now.top && old.left < now.left
      assert.equal(isBeside, width === 1280, `${where}: old beside new`)
      const shots = process.env.FIXWRIGHT_SCREENSHOTS
      if (shots) await page.screenshot({ path: join(shots, `report-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  assert.equal(backgrounds.size, 2)
  assert.deepEqual(complaints, [])
  assert.deepEqual([...new Set(asked)], [address])

  await page.goto(address)
  const order = await page.evaluate(
    "[...document.querySelectorAll('.finding b')].map((each) => each.textContent.at(-1)).join('')",
  )
  assert.equal(order, '3214', 'what is unproven first, then what failed')
  const link = page.locator('.doubt a').first()
  assert.equal(await page.locator('#finding-3').isVisible(), false)
  await link.click()
  assert.equal(await page.locator('#finding-3').isVisible(), true, 'a link opens what it leads to')
})

interface DOMRectLike {
  readonly top: number
  readonly left: number
}
