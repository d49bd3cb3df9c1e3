import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { JSDOM } from 'jsdom'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../../../../src/index.js'
import { readForm } from '../../../../src/tools/console/browser/form.js'
import { createRequest } from '../../../../src/tools/console/browser/send.js'
import { writeReference } from '../../../../src/tools/console/export/markdown.js'
import { renderOperation } from '../../../../src/tools/console/reference/operation.js'
import { listReferenceOperations } from '../../../../src/tools/console/reference/operations.js'
import { createSampleCall } from '../../../../src/tools/console/reference/sample-call.js'
import { createSamples } from '../../../../src/shared/samples/samples.js'
import { TEAS } from '../../../tools/console/teas.js'
import { listen } from '../../../support/http.js'
import { runPrograms, type LanguageRuns } from '../languages.js'
import { BODY_CASES } from './body-cases.js'
import { FORM_CASES } from './form-cases.js'
import { MULTIPART_CASES } from './multipart-cases.js'
import { createDocument, ownPart, readOperation, type OperationCase } from './operation-case.js'
import { PARAMETER_CASES } from './parameter-cases.js'
import { describeRequest, normalizeUrl, type EchoedRequest } from './described-request.js'

const TITLED = [PARAMETER_CASES, BODY_CASES, FORM_CASES, MULTIPART_CASES].flatMap((cases) => Object.entries(cases))
const CASES = TITLED.map(([, each]) => each)

/** Sends every operation by the samples of languages, and by the form of its page, and compares what arrives with the table. */
export function testOperations(languages: LanguageRuns): void {
  const requests: EchoedRequest[] = []
  const app = express()
  app.use(express.raw({ type: () => true }), ({ method, url, headers, body }, res) => {
    requests.push({ method, url, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) })
    res.end()
  })
  let close: () => Promise<void>
  let api: Api
  let folder: string

  beforeAll(async () => {
    const host = await listen(app)
    close = host.close
    api = { ...TEAS, resource: `http://127.0.0.1:${host.port}` }
    folder = await mkdtemp(join(tmpdir(), 'operations-'))
    await writeFile(join(folder, 'FILE'), 'FILE')
  })
  afterAll(async () => {
    await close()
    await rm(folder, { recursive: true, force: true })
  })

  /** The samples of a case. */
  const listSamples = (each: OperationCase, index: number) => {
    const document = createDocument(each, index)
    return createSamples(createSampleCall(api, document, readOperation(document)))
  }

  function expectRequest(each: OperationCase, index: number): void {
    const received = requests.filter(({ url }) => url.startsWith(`/${ownPart(index)}`))
    expect(received).toHaveLength(1)
    const { method = each.body ? 'post' : 'get', expected } = each
    const { url = '', type, body } = expected
    const headers = { ...expected.headers, accept: 'application/json, text/plain' }
    expect(describeRequest(received[0]!, { ...expected, headers })).toEqual({
      method: method.toUpperCase(),
      url: normalizeUrl(`/${ownPart(index)}${url}`),
      headers,
      ...(type !== undefined && { type, body }),
    })
  }

  describe.each(Object.entries(languages))('a sample in %s sends what the document says', (language, run) => {
    const isAble = ({ unable = [] }: OperationCase): boolean => !unable.some((each) => each === language)
    const isRun = (each: OperationCase): boolean =>
      isAble(each) && !(each.unable && run.bodiless?.includes(each.method ?? ''))

    beforeAll(async () => {
      requests.length = 0
      const programs = CASES.flatMap((each, index) =>
        isRun(each) ? [listSamples(each, index).find((sample) => sample.language === language)!.code] : [],
      )
      await runPrograms(programs, run, { folder })
    }, 1_200_000)

    it.each(TITLED.map(([title, each], index) => [title, each, index] as const))('%s', (_, each, index) => {
      if (isRun(each)) return expectRequest(each, index)
      const { code } = listSamples(each, index).find((sample) => sample.language === language)!
      if (isAble(each)) expect(code).toContain('roof')
      else expect(code).toMatch(/^(?:#|\/\/|<\?php\n\n\/\/) .* sends no body with (?:GET|HEAD)\. /)
    })
  })

  describe('the page of an operation', () => {
    const { document: page } = new JSDOM('').window

    it.each(TITLED.map(([title, each], index) => [title, each, index] as const))(
      'sends: %s',
      async (_, each, index) => {
        requests.length = 0
        const document = createDocument(each, index)
        const operations = listReferenceOperations(document)
        page.body.innerHTML = renderOperation({ api, document, operations }, operations[0]!).markup
        for (const input of page.querySelectorAll('input[type=file]'))
          Object.defineProperty(input, 'files', { value: [new File(['FILE'], 'FILE')] })
        const { input, problems } = readForm(page.querySelector('form')!, api.resource)
        expect(problems).toEqual([])
        // Samples of the page are made of the same input, also where browsers refuse to send it.
        if (each.unable?.includes('browser')) {
          expect(page.body.textContent).toMatch(/Browsers send no body with (?:GET|HEAD)\./)
          expect(input.body).toEqual(createSampleCall(api, document, operations[0]!).body)
        } else {
          await fetch(...createRequest(input, undefined))
          expectRequest(each, index)
        }
      },
    )
  })

  it('the Markdown has the same commands as the page', () => {
    for (const [index, each] of CASES.entries()) {
      const { code } = listSamples(each, index)[0]!
      expect(writeReference(api, createDocument(each, index), false)).toContain(`\n${code}\n`)
    }
    expect(CASES.length).toBeGreaterThan(60)
  })
}
