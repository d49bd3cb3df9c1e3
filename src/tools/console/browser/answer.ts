import { findBodyLanguage } from '../../../shared/lib/code-tokens.js'
import { escapeHidden } from '../../../shared/lib/visible-text.js'
import { createCopyButton } from './copy.js'
import { create, renderTokens } from './elements.js'
import { isJson } from '../../../shared/samples/serialize.js'
import { formatJson } from './json.js'
import type { Message } from './messages.js'
import { fillIn, fillText } from '../../../shared/lib/fill-in.js'
import { callWords } from './words.js'

export interface Answer {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly response: Response
  readonly body: AnswerBody
  readonly milliseconds: number
  /** A message on what the reader can do about the answer. */
  readonly advice: HTMLElement | undefined
}

/** Long text makes pages slow: longer text is for download. */
const MAX_SHOWN_CHARACTERS = 200_000
const MIN_DOWNLOAD_CHARACTERS = 10_000

const CUTS: Readonly<Record<NonNullable<AnswerBody['cut']>, string>> = {
  'too-large': callWords.cutTooLarge,
  cancelled: callWords.cutCancelled,
  failed: callWords.cutFailed,
}

export function createAnswerView(section: HTMLElement) {
  // A live section would read whole bodies aloud: only the outcome is announced.
  section.removeAttribute('aria-live')
  const outcome = create('p', { class: 'outcome', role: 'status' })
  const details = create('div')
  section.replaceChildren(outcome, details)
  let objectUrl: string | undefined

  function clear(): void {
    if (objectUrl !== undefined) URL.revokeObjectURL(objectUrl)
    objectUrl = undefined
    outcome.replaceChildren()
    details.replaceChildren()
  }

  return {
    hide(): void {
      clear()
      section.hidden = true
    },
    /** Shows a text in place of an answer: there is none yet, or there will be none. */
    say(text: string, isProblem = false): void {
      clear()
      section.hidden = false
      outcome.className = isProblem ? 'outcome problem' : 'outcome'
      outcome.textContent = text
    },
    show(answer: Answer): void {
      clear()
      const { response, body, milliseconds, advice } = answer
      const status = [response.status, response.statusText].filter(Boolean).join(' ')
      section.hidden = false
      outcome.className = `outcome ${response.ok ? 'good' : 'bad'}`
      outcome.append(
        create('strong', { class: 'pill' }, status),
        `${formatDuration(milliseconds)} · ${formatSize(body.bytes.length)}`,
      )
      // A document of the API, opened in another tab, would have the origin of this page. Without its type it is downloaded.
      const type = readMediaType(response)
      const blob = new Blob([body.bytes], { type: PICTURES.has(type) ? type : 'application/octet-stream' })
      if (blob.size > 0) objectUrl = URL.createObjectURL(blob)
      details.replaceChildren(
        ...(advice ? [advice] : []),
        renderHeaders(response.headers),
        ...(objectUrl === undefined ? [renderRequest(answer)] : renderBody(answer, objectUrl)),
        ...(body.cut ? [create('p', { class: 'note' }, CUTS[body.cut])] : []),
      )
    },
  }
}

export function renderMessage({ text, contact = false }: Message, support: string | undefined): (Node | string)[] {
  if (!contact) return [text]
  if (support === undefined || !/^(?:https?|mailto):/.test(support)) return [text, ' ', callWords.contactOperator]
  const name = support.replace(/^mailto:([^?]*).*/, '$1')
  return [text, ' ', ...fillIn(callWords.contact, { support: create('a', { href: support }, name) })]
}

function renderRequest({ method, url }: Answer): HTMLElement {
  const { pathname, search } = new URL(url)
  return create('code', {}, `${method} ${pathname}${search}`)
}

function renderHeaders(headers: Headers): HTMLElement {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  const note = callWords.hiddenHeaders
  return create(
    'details',
    { class: 'headers' },
    create('summary', {}, callWords.headers),
    lines.length > 0 ? renderText(lines.join('\n'), callWords.headersOfAnswer) : create('p', { class: 'note' }, note),
  )
}

function renderBody(answer: Answer, objectUrl: string): HTMLElement[] {
  const { method, path, url, response, body } = answer
  const contentType = response.headers.get('Content-Type') ?? ''
  const mediaType = readMediaType(response)
  const name = readFileName(response.headers.get('Content-Disposition'), url)
  const download = create(
    'a',
    { class: 'download', href: objectUrl, download: name },
    fillText(callWords.download, { name }),
  )
  const links = create('p', { class: 'links' }, download)
  if (PICTURES.has(mediaType))
    return [
      renderRequest(answer),
      create('img', { class: 'body', src: objectUrl, alt: fillText(callWords.answerOf, { method, path }) }),
      links,
    ]
  if (mediaType !== '' && !isText(mediaType)) return [renderRequest(answer), links]
  const text = decode(body.bytes, contentType)
  const isCut = text.length > MAX_SHOWN_CHARACTERS
  const shown = isCut ? text.slice(0, MAX_SHOWN_CHARACTERS) : (/[/+]json$/.test(mediaType) && formatJson(text)) || text
  const note = fillText(callWords.firstShown, {
    shown: formatSize(MAX_SHOWN_CHARACTERS),
    size: formatSize(body.bytes.length),
  })
  const shownText = renderText(shown, callWords.bodyOfAnswer, findBodyLanguage(mediaType))
  const copyButton = createCopyButton(() => text, callWords.copyAnswer)
  return [
    create('figure', { class: 'answered' }, create('figcaption', {}, renderRequest(answer), copyButton), shownText),
    ...(isCut ? [create('p', { class: 'note' }, note)] : []),
    // Short JSON is copied: as a file it would be noise.
    ...(isJson(mediaType) && text.length < MIN_DOWNLOAD_CHARACTERS ? [] : [links]),
  ]
}

/** Media types that have pixels only. An SVG is a document, which may have scripts: it is shown as text. */
const PICTURES: ReadonlySet<string> = new Set(
  ['png', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'x-icon', 'vnd.microsoft.icon'].map((type) => `image/${type}`),
)

function readMediaType({ headers }: Response): string {
  return (headers.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
}

/** Text that scrolls must be reachable by keyboard, and what is reachable needs a name. */
function renderText(text: string, label: string, language?: string): HTMLElement {
  const code = create('code', {}, ...renderTokens(escapeHidden(text), language))
  return create('pre', { tabindex: '0', role: 'region', 'aria-label': label }, code)
}

export interface AnswerBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly cut?: 'too-large' | 'cancelled' | 'failed'
}

/** Reading stops after this size: a body may be endless. */
const MAX_BODY_BYTES = 20 * 1024 * 1024

export async function readBody(response: Response, signal: AbortSignal): Promise<AnswerBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  let cut: NonNullable<AnswerBody['cut']>
  if (!response.body) return { bytes: new Uint8Array(0) }
  const reader = response.body.getReader()
  try {
    while (size < MAX_BODY_BYTES) {
      const { done, value } = await reader.read()
      if (done) return { bytes: join(chunks, size) }
      chunks.push(value)
      size += value.length
    }
    cut = 'too-large'
  } catch {
    cut = signal.aborted ? 'cancelled' : 'failed'
  }
  void reader.cancel().catch(() => undefined)
  return { bytes: join(chunks, size), cut }
}

export function isText(mediaType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|graphql|x-www-form-urlencoded)\b/i.test(mediaType)
}

export function decode(bytes: Uint8Array, contentType: string): string {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB']
  return `${size.toFixed(1)} ${unit}`
}

export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}

export function readFileName(disposition: string | null, url: string): string {
  const given = /filename="?([^";]+)/i.exec(disposition ?? '')?.[1]
  const last = new URL(url).pathname.split('/').findLast(Boolean)
  return (given ?? last ?? 'answer').replaceAll(/(?:%[\da-f]{2}|[^\w.-])+/gi, '_')
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
