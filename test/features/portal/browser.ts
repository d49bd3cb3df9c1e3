import type { Express } from 'express'
import { expect } from 'vitest'
import { request, type Response } from '../../support/request.js'

/** A browser without scripts: it keeps cookies, follows redirects of forms, and sends what pages have in hidden fields. */
export interface Browser {
  /** The last page. */
  readonly page: Response
  readonly cookies: Map<string, string>
  /** Attributes of the last cookie that was set. */
  readonly cookieAttributes: string | undefined
  get(path?: string): Promise<Response>
  /** Sends the form of the last page whose action ends with `action`. */
  submit(action: string, fields?: Fields): Promise<Response>
  /** Sends a form with these fields only. Follows no redirect. */
  post(path: string, fields: Fields, headers?: Readonly<Record<string, string>>): Promise<Response>
}

type Fields = Readonly<Record<string, string>>

export const ROOT = '/developers/applications'

/** What browsers send with a form of the same site. */
const SAME_SITE = { 'Sec-Fetch-Site': 'same-origin' }

export function createBrowser(app: Express): Browser {
  const cookies = new Map<string, string>()
  let page: Response | undefined
  let cookieAttributes: string | undefined

  async function send(method: 'get' | 'post', path: string, body?: Fields, headers: Fields = {}): Promise<Response> {
    const sent = request(app)[method](path).redirects(0).set(headers)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    if (cookie !== '') void sent.set('Cookie', cookie)
    const response = await (body ? sent.type('form').send(body) : sent)
    for (const line of (response.headers['set-cookie'] ?? []) as unknown as string[]) {
      const [, name, value, attributes] = /^([^=]+)=([^;]*)(.*)$/.exec(line)!
      cookies.set(name!, value!)
      cookieAttributes = attributes
    }
    if (response.headers['content-type']?.startsWith('text/html')) {
      page = response
      response.text = joinWords(response.text)
    }
    return response
  }

  async function follow(response: Response): Promise<Response> {
    return response.status === 303 ? send('get', response.headers['location']!) : response
  }

  return {
    cookies,
    get page() {
      return page!
    },
    get cookieAttributes() {
      return cookieAttributes
    },
    get: async (path = ROOT) => follow(await send('get', path)),
    async submit(action, fields = {}) {
      const form = [...page!.text.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].find(([, to]) =>
        to!.split('?', 1)[0]!.endsWith(action),
      )
      expect(form, `no form for ${action} in ${page!.text}`).toBeDefined()
      return follow(await send('post', form![1]!, { ...readHiddenFields(form![2]!), ...fields }, SAME_SITE))
    },
    post: (path, fields, headers = SAME_SITE) => send('post', path, fields, headers),
  }
}

/** A page without the elements that keep words in one line. */
export function joinWords(markup: string): string {
  return markup.replaceAll(/<span class="whole">(.*?)<\/span>/g, '$1')
}

/** The hidden fields of a page or of a form. */
export function readHiddenFields(markup: string): Fields {
  const inputs = [...markup.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => input)
  return Object.fromEntries(
    inputs.map((input) => [/ name="([^"]*)"/.exec(input)![1]!, / value="([^"]*)"/.exec(input)?.[1] ?? '']),
  )
}
