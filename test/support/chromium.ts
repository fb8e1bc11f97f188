// A real Chromium without a window, from the system's packages: `.ci/run` installs it where it may. Without one, a test says so.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type BrowserContext, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** It looks for nothing on the network, and its sandbox does not run as root. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
]

export const CHROMIUM = [process.env.FIXWRIGHT_CHROMIUM ?? '', ...PLACES].find((place) => existsSync(place))
export const NO_CHROMIUM =
  CHROMIUM === undefined && 'there is no Chromium on this machine: install the package chromium'

export async function openChromium(t: TestContext): Promise<BrowserContext> {
  const folder = mkdtempSync(join(tmpdir(), 'fixwright-chromium-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM ?? '',
    args: FLAGS,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder } as Record<string, string>,
  })
  t.after(async () => {
    await context.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return context
}
