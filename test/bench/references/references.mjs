/**
 * `npm run bench:references`: what the reference of the largest document costs a browser, for this package and for five others.
 * The others are downloaded from the npm registry into a temporary folder. Needs Chromium (CHROMIUM names another path).
 *
 *   npm run bench:references -- --rounds 5       (3) each starts a new browser; the table has medians
 *   npm run bench:references -- --only ours      some of them (regular expression)
 *   npm run bench:references -- --document FILE  another document (JSON)
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { CONTENDERS } from './contenders.mjs'
import { measurePage, openBrowser } from './measure-page.mjs'
import { serveOurs } from './ours.mjs'
import { serveOther } from './serve.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    document: { type: 'string' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'platform-auth-references-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const document = values.document === undefined ? readGitHubs() : readFileSync(values.document, 'utf8')
const paths = Object.keys(JSON.parse(document).paths)
const asked = CONTENDERS.filter(({ name }) => new RegExp(values.only, 'i').test(name))
const measured = new Map(asked.map(({ name }) => [name, []]))
const load = loadavg()[0].toFixed(1)

for (let round = 1; round <= Number(values.rounds); round++) {
  for (const contender of asked) {
    const { url, close } = contender.package ? await serveOther(contender, folder, document) : await serveOurs(document)
    // axe takes long for some of them, and always finds the same.
    const result = await measurePage(url, contender, { withAxe: round === 1, paths })
    await close()
    measured.get(contender.name).push(result)
    process.stderr.write(`${round} ${contender.name}: ${JSON.stringify(result)}\n`)
  }
}

const columns = [
  'transferred kB',
  'requests',
  'ready s',
  'main thread s',
  'heap MB',
  'elements',
  'paths in the page',
  'axe: rules',
  'axe: elements',
]
const lines = [...measured].map(
  ([name, results]) => `| ${[name, ...columns.map((column) => median(results, column))].join(' | ')} |`,
)
const { browser, version } = await openBrowser()
await browser.close()
process.stdout.write(`| | ${columns.join(' | ')} |\n| --- |${' --: |'.repeat(columns.length)}\n${lines.join('\n')}\n
${new Date().toISOString().slice(0, 10)}, Chromium ${version}, Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, load average before it ${load}, ${values.rounds} rounds; the document has ${paths.length} paths.\n`)

/** As it is published: indented, 13 MB. */
function readGitHubs() {
  const compressed = readFileSync(new URL('../../tools/console/documents/github.json.br', import.meta.url))
  return JSON.stringify(JSON.parse(brotliDecompressSync(compressed).toString('utf8')), null, 2)
}

function median(results, column) {
  const found = results.map((result) => result[column]).filter((value) => value !== undefined)
  if (found.length === 0) return ''
  if (found.some((value) => typeof value === 'string')) return found.find((value) => typeof value === 'string')
  found.sort((a, b) => a - b)
  const value = found[Math.floor(found.length / 2)]
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(1)
}
