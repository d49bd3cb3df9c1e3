/** Measures a page in a browser of its own: a new profile, so nothing is cached. */
import axe from 'axe-core'
import { chromium } from 'playwright-core'

const { CHROMIUM = '/usr/bin/chromium' } = process.env
const READY_TIMEOUT_MS = 120_000
const AXE_TIMEOUT_MS = 60_000
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
  return { browser, version: browser.version() }
}

/** @param {string} url @param {import('./contenders.mjs').Contender} contender @param {{ withAxe: boolean, paths: readonly string[] }} options `paths`: of the document */
export async function measurePage(url, { find }, { withAxe, paths }) {
  const { browser } = await openBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const session = await page.context().newCDPSession(page)
    const bytes = new Map()
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => bytes.set(requestId, encodedDataLength))
    await session.send('Network.enable')
    await session.send('Performance.enable')
    await page.addInitScript(`{
      // Ready: an operation is shown, and the browser had time for nothing to do after that.
      const look = () => {
        if (!(${find})) return void setTimeout(look, 20)
        requestIdleCallback(() => { window.readyAfter = performance.now() })
      }
      look()
    }`)
    await page.goto(url, { waitUntil: 'commit' })
    const start = Date.now()
    // Not waitForFunction(), which evaluates text in the page: the policy of ours forbids that.
    while (!(await page.evaluate('window.readyAfter'))) {
      if (Date.now() - start > READY_TIMEOUT_MS) return { 'ready s': '> 120' }
      await new Promise((resolve) => void setTimeout(resolve, 200))
    }
    const ready = await page.evaluate('window.readyAfter')
    const { metrics } = await session.send('Performance.getMetrics')
    const readMetric = (name) => metrics.find((metric) => metric.name === name).value
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const { elements, texts } = await page.evaluate(`(() => {
      let elements = 0
      const texts = new Set()
      const visit = (root) => {
        for (const each of root.querySelectorAll('*')) {
          elements++
          if (each.shadowRoot) visit(each.shadowRoot)
          const text = each.childElementCount < 20 && each.textContent.length < 300 ? each.textContent : ''
          const path = text.replaceAll('\\u200b', '').trim().match(/\\/\\S*$/)
          if (path) texts.add(path[0])
        }
      }
      visit(document)
      return { elements, texts: [...texts] }
    })()`)
    return {
      'transferred kB': Math.round([...bytes.values()].reduce((sum, each) => sum + each, 0) / 1000),
      requests: bytes.size,
      'ready s': ready / 1000,
      'main thread s': readMetric('ThreadTime') || readMetric('TaskDuration'),
      'heap MB': usedSize / 1e6,
      elements,
      'paths in the page': paths.filter((path) => texts.includes(path)).length,
      ...(withAxe ? await runAxe(page) : {}),
    }
  } finally {
    await browser.close()
  }
}

/** The numbers of rules and of elements that violate them. */
async function runAxe(page) {
  await page.evaluate(axe.source)
  const run = page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(AXE_TAGS)}, resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ nodes }) => nodes.length))`,
  )
  const timeout = new Promise((resolve) => void setTimeout(resolve, AXE_TIMEOUT_MS).unref())
  const found = await Promise.race([run, timeout])
  run.catch(() => undefined)
  if (found === undefined) return { 'axe: rules': '> 1 min', 'axe: elements': '> 1 min' }
  return { 'axe: rules': found.length, 'axe: elements': found.reduce((sum, each) => sum + each, 0) }
}
