import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  listCallableOperations,
  listOperations,
  type JsonObject,
  type Operation,
} from '../../../src/shared/openapi/document.js'
import { listReferenceOperations } from '../../../src/tools/console/reference/operations.js'
import { launchChromium, openPage } from './chromium.js'
import { describeOperations, listMissingInMarkdown, listMissingOnPage, PART_KINDS } from './described-operations.js'
import { describeAnswer } from './mock-answers.js'
import { openMockServer, type MockServer } from './mock-server.js'
import { listRealDocuments } from './real-documents.js'
import { authorizeAndClose, findViolations, openOperation, openReference, readStatus } from './reference-driver.js'

// Documents that providers publish: each loads, each page of it is served, its reference is shown without an error, and
// operations can be called. The calls go to a server that was made from the document and checks what it gets.

/** Operations of each document that are called: a few of those without a body, and of those with one. */
const CALLS_OF_A_KIND = 3

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

describe.each([...listRealDocuments()])('%s', (name, given) => {
  let server: MockServer
  let document: JsonObject
  let operations: Operation[]
  beforeAll(async () => {
    server = await openMockServer(new Map([[name, given]]))
    document = server.documents.get(name)!
    operations = listCallableOperations(document)
  })
  afterAll(() => server?.close())

  it('has a page for every operation', { timeout: 600_000 }, async () => {
    const reference = await (await fetch(`${server.developers}/apis/${name}`)).text()
    const keys = listKeys(reference)
    expect(keys).toHaveLength(operations.length + countWebhooks(document))
    expect(new Set(keys).size).toBe(keys.length)
    const described = describeOperations(document)
    const shown = listReferenceOperations(document)
    const markdown = await (await fetch(`${server.developers}/apis/${name}.md`)).text()
    const missing: string[] = []
    for (const key of keys) {
      const response = await fetch(`${server.developers}/apis/${name}/operations/${key}`)
      const html = await response.text()
      expect(response.status, key).toBe(200)
      expect(html, key).toContain('</html>')
      expect(html, key).not.toMatch(/\[object Object\]|(?<!<code)>undefined<|>NaN</)
      const { method, path } = shown.find((each) => each.key === key)!
      const parts = described.find((each) => each.method === method && each.path === path)!
      missing.push(...listMissingOnPage(parts, html), ...listMissingInMarkdown(parts, markdown))
    }
    expect(missing).toEqual([])
    const counts = PART_KINDS.map((kind) => `${described.reduce((sum, each) => sum + each[kind].size, 0)} ${kind}`)
    process.stdout.write(`${name}: ${described.length} operations and webhooks with ${counts.join(', ')}\n`)
  })

  it('is shown and can be called, without an error', { timeout: 600_000 }, async () => {
    const { page, errors } = await openPage(await browser.newContext())
    await openReference(page, `${server.developers}/apis/${name}`)
    const count = operations.length + countWebhooks(document)
    expect(await page.locator('section.operation').count()).toBe(count)
    expect(await findViolations(page)).toEqual([])
    const { key, secret } = server.credentials
    await authorizeAndClose(page, given.scheme === 'oauth2' ? { Key: key, Secret: secret } : { Key: key })
    for (const { key: operationKey, expected } of await chooseOperations(page, document, operations)) {
      const operation = await openOperation(page, operationKey)
      await fillRequired(page, operationKey)
      expect(await findViolations(page, { selector: `[id="${operationKey}"]` }), operationKey).toEqual([])
      await operation.locator('.execute').click()
      expect(await readStatus(operation), `${operationKey}: ${server.received.at(-1)?.url}`).toBe(String(expected))
    }
    expect(errors).toEqual([])
    await page.context().close()
  })
})

/** Documents of OpenAPI 3.0 have them as an extension. */
function countWebhooks(document: JsonObject): number {
  return listOperations(document['webhooks'] ?? document['x-webhooks']).length
}

function listKeys(html: string): string[] {
  return [...html.matchAll(/class="toggle" href="[^"]*\/([^"/]+)"/g)].map(([, key]) => key!)
}

/** Some operations of each kind, by the key of their section, and the status that the mock server answers. */
async function chooseOperations(page: Page, document: JsonObject, operations: readonly Operation[]) {
  const sections = await page.evaluate<string[]>(
    `[...document.querySelectorAll('section.operation')].map((link) => [link.id, link.querySelector('.method').textContent.trim(), link.querySelector('.path').textContent.trim()].join(' '))`,
  )
  const described = sections.flatMap((text) => {
    const [key, method, path] = text.split(' ') as [string, string, string]
    const operation = operations.find((each) => each.method === method && each.path === path)
    // A webhook has no form. The platform's own router answers where the document of Box has its page for log-ins, and the
    // mock server's guards may ask for credentials where a document asks for none.
    const isLeftOut = path === '/authorize' || isEmptyList(operation?.operation['security'])
    return operation && !isLeftOut ? [{ key, operation, expected: describeAnswer(document, operation).status }] : []
  })
  const bodies = described.filter(({ operation }) => 'requestBody' in operation.operation)
  const others = described.filter((each) => !bodies.includes(each))
  return [...spread(others), ...spread(bodies)]
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Some of a list, from its beginning to its end. */
function spread<Item>(items: readonly Item[]): Item[] {
  const step = Math.max(1, Math.floor(items.length / CALLS_OF_A_KIND))
  return items.filter((_, at) => at % step === 0).slice(0, CALLS_OF_A_KIND)
}

/** Enters a value wherever one is required and there is none, and a file wherever there can be one. */
async function fillRequired(page: Page, key: string): Promise<void> {
  await page.evaluate(`{
    for (const each of document.querySelectorAll('[id="${key}"] form.call :is(input, select, textarea)')) {
      if (!each.required || each.type === 'file' || each.value !== '') continue
      if (each.localName === 'select') each.selectedIndex = each.multiple ? 0 : 1
      else each.value = /json|object/.test(each.dataset.type) ? '{ "a": 1 }' : '1'
      each.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }`)
  const file = { name: 'tea.txt', mimeType: 'text/plain', buffer: Buffer.from('tea') }
  for (const input of await page.locator(`[id="${key}"] input[type=file]:visible`).all())
    await input.setInputFiles(file)
}
