/** Serves the pages of the contenders: one server each, every file compressed with gzip as a web server would. */
import { createServer } from 'node:http'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES = { '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.html': 'text/html' }

/** @param {import('./contenders.mjs').Contender} contender @param {string} folder @param {string} document */
export async function serveOther({ name, package: packed, files = {}, page }, folder, document) {
  const home = install(packed, folder)
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title></head><body>${page}</body></html>`
  const bodies = new Map([
    ['/', ['.html', gzipSync(html)]],
    ['/openapi.json', ['.json', gzipSync(document)]],
  ])
  const server = createServer((req, res) => {
    const body = bodies.get(req.url) ?? readFrom(home, files, req.url)
    if (!body) {
      res.writeHead(404).end()
      return
    }
    bodies.set(req.url, body)
    res.writeHead(200, {
      'Content-Type': `${TYPES[body[0]] ?? 'application/octet-stream'}; charset=utf-8`,
      'Content-Encoding': 'gzip',
    })
    res.end(body[1])
  })
  await new Promise((listening) => server.listen(0, 'localhost', listening))
  return {
    url: `http://localhost:${server.address().port}/`,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A file of the package, or of one of its folders. */
function readFrom(home, files, url) {
  const [first, ...rest] = url.slice(1).split('?')[0].split('/')
  if (!Object.hasOwn(files, first) || rest.includes('..')) return undefined
  const path = join(home, files[first], ...rest)
  return existsSync(path) ? [extname(path), gzipSync(readFileSync(path))] : undefined
}

/** Without its dependencies: what is measured is the bundle that it publishes for browsers. */
function install(packed, folder) {
  const home = join(folder, packed.replaceAll(/[^a-z0-9.-]/g, '-'))
  if (existsSync(home)) return join(home, 'package')
  mkdirSync(home)
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', packed, '--json', '--pack-destination', home], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  execFileSync('tar', ['xzf', join(home, filename.replace('@', '').replace('/', '-')), '-C', home])
  return join(home, 'package')
}
