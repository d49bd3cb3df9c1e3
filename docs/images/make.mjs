/**
 * Makes the images of README and docs: `npm run images`. Screenshots are taken of the running example app by Chromium,
 * light and dark; the chart is drawn from README's table of what a guard costs. `-- --walk`: those of the walk only. Needs
 * port 3000, or another one as PORT, Chromium, and the faces that the pages ask for where a system has none of its own (Debian:
 * `apt-get install fonts-inter fonts-jetbrains-mono`).
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { saveEmails } from './emails.mjs'
import { drawGuardCost } from './guard-cost.mjs'
import { savePages } from './pages.mjs'
import { showOperator, STAFF_PASSWORD } from './operator.mjs'
import { showParts } from './parts.mjs'
import { addUsage, showPortal } from './portal.mjs'
import { showReference } from './reference.mjs'
import { OPERATOR, walk } from './walk.mjs'

const IMAGES = fileURLToPath(new URL('.', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { CHROMIUM = '/usr/bin/chromium', PORT = '3000' } = process.env
const BASE_URL = `http://localhost:${PORT}`
const { pages, walk: isWalk } = parseArgs({ options: { pages: { type: 'string' }, walk: { type: 'boolean' } } }).values

const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
await writeFile(join(IMAGES, 'guard-cost.svg'), drawGuardCost(readme))

const folder = await mkdtemp(join(tmpdir(), 'platform-auth-images-'))
const app = spawn(process.execPath, ['example-app/server.js'], {
  cwd: ROOT,
  env: {
    ...process.env,
    EXAMPLE_VAR: folder,
    PORT,
    STAFF_PASSWORD,
    ...((isWalk || pages !== undefined) && { OPERATORS: OPERATOR }),
  },
  stdio: ['ignore', 'ignore', 'inherit'],
})
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
try {
  await waitForApp()
  if (!isWalk && pages === undefined) await addUsage(folder)
  if (isWalk)
    await walk(browser, {
      baseUrl: BASE_URL,
      save: (page, name) => page.screenshot({ path: join(IMAGES, `walk-${name}.png`) }),
    })
  else if (pages === undefined) await saveImages()
  else await savePages(browser, { baseUrl: BASE_URL, folder, target: pages })
} finally {
  await browser.close()
  if (app.kill()) await once(app, 'exit')
  await rm(folder, { recursive: true, force: true })
}

async function saveImages() {
  const doctor = await runDoctor()
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 860 } })
    const page = await context.newPage()
    await showConsole(page)
    await save(page, 'console', colorScheme)
    await showReference(page, { baseUrl: BASE_URL, folder })
    await save(page, 'reference', colorScheme)
    await showPortal(page, { baseUrl: BASE_URL, folder })
    await save(page, 'portal', colorScheme)
    await showOperator(page, { baseUrl: BASE_URL, folder }, '/applications/ID')
    await save(page, 'operator', colorScheme)
    await showParts(page)
    await save(page, 'parts', colorScheme)
    await context.close()
    const terminal = await browser.newPage({ colorScheme, viewport: { width: 900, height: 100 } })
    await terminal.setContent(renderTerminal(doctor))
    await save(terminal, 'doctor', colorScheme)
    await terminal.close()
  }
  await saveEmails(browser, IMAGES)
}

/** @param {import('playwright-core').Page} page @param {string} name @param {string} scheme */
async function save(page, name, scheme) {
  const fullPage = name === 'doctor' || name === 'parts'
  await page.screenshot({ path: join(IMAGES, `${name}-${scheme}.png`), animations: 'disabled', fullPage })
}

async function waitForApp() {
  for (const start = Date.now(); Date.now() - start < 30_000;) {
    if (app.exitCode !== null) throw new Error(`The example app did not start. Is port ${PORT} free?`)
    const health = await fetch(`${BASE_URL}/health`).catch(() => undefined)
    if (health?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The example app was not healthy within 30 seconds.')
}

/** @param {import('playwright-core').Page} page */
async function showConsole(page) {
  await page.goto(`${BASE_URL}/developers/`)
  await page.locator('.api').first().waitFor()
}

/** The doctor's report on the app's database, after others were allowed to read its file. */
async function runDoctor() {
  await chmod(join(folder, 'example.sqlite'), 0o644)
  const doctor = [join(ROOT, 'dist/esm/tools/cli/main.js'), 'doctor', '--db', 'example.sqlite']
  const run = promisify(execFile)(process.execPath, doctor, { cwd: folder })
  // The doctor exits with 3 if it has found a problem.
  const { stdout } = await run.catch((error) => error)
  const report = stdout.replaceAll(folder, '/srv/shop')
  return `$ npx express-platform-auth doctor --db example.sqlite\n${report}`
}

/** @param {string} text */
function renderTerminal(text) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html><html style="color-scheme: light dark"><body style="margin: 0">
    <pre style="margin: 0; padding: 1.25rem; font: 14px/1.5 'DejaVu Sans Mono', monospace; white-space: pre-wrap">${escaped}</pre></body></html>`
}
