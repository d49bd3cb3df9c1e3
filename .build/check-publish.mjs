/**
 * Ends `npm publish` while package.json or a page of the package has an address that is not real: one of the names that nobody can
 * register (RFC 2606, RFC 6761). Addresses in examples of code are meant to be such names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = process.argv[2] ?? join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const RESERVED = /^(?:.+\.)?(?:example|test|invalid|localhost|local|example\.(?:com|net|org))$/i
const PAGES = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'CONTRIBUTING.md']

const problems = [
  ...['repository', 'homepage', 'bugs'].flatMap((name) => {
    const addresses = listTexts(manifest[name]).filter((text) => /[:@]/.test(text))
    if (addresses.length === 0) return [`package.json has no address for "${name}".`]
    return addresses.filter(isReserved).map((address) => `package.json: "${name}" is ${address}.`)
  }),
  ...PAGES.flatMap((page) =>
    listLinks(readPage(page))
      .filter(isReserved)
      .map((address) => `${page} links to ${address}.`),
  ),
]

if (problems.length > 0) {
  process.stderr.write(
    `${problems.join('\n')}\nNobody can register such a name. Write the addresses of the public repository (CONTRIBUTING.md, "Before the first release").\n`,
  )
  process.exitCode = 1
}

/** @param {unknown} value @returns {string[]} */
function listTexts(value) {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

/** @param {string} page */
function readPage(page) {
  try {
    return readFileSync(join(root, page), 'utf8')
  } catch {
    return ''
  }
}

/** Links and images of Markdown, and of HTML in it, outside of code. @param {string} text */
function listLinks(text) {
  const prose = text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((\w+:[^)\s]+)\)|(?:href|src)="(\w+:[^"]+)"|<(https?:[^>]+)>/g)].map(
    (found) => found.slice(1).find(Boolean) ?? '',
  )
}

/** @param {string} address */
function isReserved(address) {
  const host = /^(?:[a-z+]+:\/\/|mailto:)?(?:[^@/]*@)?([^/:?#]+)/i.exec(address)?.[1] ?? ''
  return RESERVED.test(host)
}
