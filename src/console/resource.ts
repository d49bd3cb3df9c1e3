import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** An answer to GET, with its body compressed and plain. */
export interface Resource {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly gzipped: Buffer
  plain(): Buffer
}

/** Headers of a page. */
export function createPageResource(text: string, policy: string): Resource {
  return createResource(Buffer.from(text), 'text/html; charset=utf-8', {
    // Credentials are typed into these pages: browsers must not store them, not even for the back button, nor send their URL.
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
  })
}

/**
 * A document for programs. It is made at the first request and then kept, because documents of many megabytes would delay the
 * start. Pages of every origin may read it, such as other viewers and client generators.
 */
export function createDocumentResource(
  type: string,
  create: () => string | Buffer,
  headers: Resource['headers'] = {},
): () => Resource {
  let made: Resource | undefined
  return () => {
    if (made) return made
    const content = Buffer.from(create())
    made = createResource(content, type, { ...DOCUMENT_HEADERS, ETag: createEntityTag(content), ...headers })
    return made
  }
}

const DOCUMENT_HEADERS = { 'Cache-Control': 'no-cache', 'Access-Control-Allow-Origin': '*' }

/** Weak (RFC 9110 8.8.1), because the compressed and the plain body share it. */
function createEntityTag(content: Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

function createResource(content: Buffer, type: string, headers: Resource['headers']): Resource {
  return { type, headers, gzipped: gzipSync(content, { level: 9 }), plain: () => content }
}
