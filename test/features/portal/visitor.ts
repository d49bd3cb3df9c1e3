import { joinWords } from './browser.js'

/** A contact who is signed in at a portal, as a browser without JavaScript. */
export interface Visitor {
  /** Opens a page by its path below the list of applications. */
  open(path: string): Promise<Page>
  /** Sends the form of a page that posts to that path (the page's own path if left out), with these fields changed. */
  submit(page: Page, fields?: Fields, path?: string): Promise<Page>
}

export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  /** The text, without markup. */
  readonly text: string
  /** The path below the list of applications. */
  readonly path: string
  /** The fragment of the redirect that led here. */
  readonly fragment: string
}

/** Undefined leaves a field out. */
type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

/** Opens a link that signs in, of an e-mail or of `auth.portal.link()`, and sends its form. */
export async function signIn(link: string): Promise<Visitor> {
  const { origin, pathname, hash } = new URL(link)
  const root = pathname.replace(/\/sign-in$/, '')
  const cookies = new Map<string, string>()

  async function load(path: string, body?: URLSearchParams): Promise<Page> {
    const response = await fetch(origin + root + (path && `/${path}`), {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; '), ...(body && { Origin: origin }) },
      ...(body && { body }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location !== null) {
      await response.body?.cancel()
      const target = new URL(location, origin + root)
      const page = await load(target.pathname.slice(root.length).replace(/^\//, ''))
      return { ...page, fragment: target.hash.slice(1) }
    }
    const html = joinWords(await response.text())
    return { status: response.status, headers: response.headers, html, text: readText(html), path, fragment: '' }
  }

  async function submit(page: Page, fields: Fields = {}, path = page.path): Promise<Page> {
    const form = readForms(page.html).find(({ action }) =>
      action === undefined ? path === page.path : action === `${root}/${path}`,
    )
    if (!form) throw new Error(`No form of ${page.path} posts to ${path}: ${page.text}`)
    const body = new URLSearchParams(form.fields.map(([name, value]) => [name, value]))
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name)
      for (const each of [value ?? []].flat()) body.append(name, each)
    }
    return load(path, body)
  }

  const page = await load('sign-in')
  const list = await submit(page, { token: hash.slice(1) }, 'sign-in/link')
  if (list.status !== 200) throw new Error(`The sign-in was refused: ${list.text}`)
  return { open: (path) => load(path), submit }
}

interface Form {
  /** Undefined: the page's own address. */
  readonly action: string | undefined
  /** What is sent if nothing is changed. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

function readForms(html: string): Form[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => ({
    action: readAttribute(attributes, 'action'),
    fields: [
      ...[...content.matchAll(/<input([^>]*)>/gs)].flatMap(([, input = '']) => readInput(input)),
      ...[...content.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)].map(([, select = '', options = '']) => {
        const chosen = /<option([^>]*\bselected\b[^>]*)>/.exec(options)?.[1] ?? ''
        return [readAttribute(select, 'name') ?? '', readAttribute(chosen, 'value') ?? ''] as const
      }),
    ],
  }))
}

function readInput(input: string): (readonly [string, string])[] {
  const isUnchecked = readAttribute(input, 'type') === 'checkbox' && !/\schecked\b/.test(input)
  return isUnchecked ? [] : [[readAttribute(input, 'name') ?? '', readAttribute(input, 'value') ?? 'on']]
}

function readAttribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decode(value)
}

function readText(html: string): string {
  const visible = html.replaceAll(/<(style|script|title)\b.*?<\/\1>/gs, '').replaceAll(/<[^>]*>/g, ' ')
  return decode(visible).replaceAll(/\s+/g, ' ').trim()
}

function decode(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}
