import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Language } from '../../index.js'
import { inLanguage } from './words.js'

/** An answer to GET, with its body compressed and plain. */
export interface Resource {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly gzipped: Buffer
  plain(): Buffer
}

function createPageResource(text: string, policy: string): Resource {
  return createResource(Buffer.from(text), 'text/html; charset=utf-8', {
    // Credentials are typed into these pages: browsers must not store them, not even for the back button, nor send their URL.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
  })
}

/** Makes a resource when it is requested. Pages ask for the language of the request; what programs read has none. */
export type MakeResource = (chooseLanguage: () => Language) => Resource

/**
 * A page that is rendered at its first request in a language and then kept, because rendering all of them would delay the start. `kept`
 * may be of many pages: then each has a `path`.
 */
export function createLatePageResource(
  render: () => string,
  policy: string,
  kept: { get(key: string): Resource | undefined; set(key: string, made: Resource): unknown } = new Map(),
  path = '',
): MakeResource {
  return (chooseLanguage) => {
    const language = chooseLanguage()
    const known = kept.get(`${language} ${path}`)
    if (known) return known
    const made = createPageResource(inLanguage(language, render), policy)
    kept.set(`${language} ${path}`, made)
    return made
  }
}

/** A document for programs, made at the first request, as large ones would delay the start. Any origin may read it. */
export function createDocumentResource(type: string, create: () => string): MakeResource {
  let made: Resource | undefined
  return () => (made ??= createDocument(type, Buffer.from(create())))
}

/** The tag is weak (RFC 9110 8.8.1), because the compressed and the plain body share it. */
function createDocument(type: string, content: Buffer): Resource {
  const tag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  return createResource(content, type, {
    'Cache-Control': 'no-cache',
    'Access-Control-Allow-Origin': '*',
    ETag: tag,
  })
}

function createResource(content: Buffer, type: string, headers: Resource['headers']): Resource {
  const gzipped = gzipSync(content)
  // Nearly all clients accept gzip, so the plain text is not kept.
  return { type, headers, gzipped, plain: () => gunzipSync(gzipped) }
}
