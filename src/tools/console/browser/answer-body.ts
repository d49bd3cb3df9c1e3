/** The body of an answer, as far as it was read. */
export interface AnswerBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The reason why the body is not complete. */
  readonly cut?: 'too-large' | 'cancelled' | 'failed'
}

/** Reading stops after this size: a body may be endless. */
const MAX_BODY_BYTES = 20 * 1024 * 1024

/** Reads a body until it ends, is too large, or is cancelled, and keeps what has arrived until then. */
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

/** Whether a body of that media type is shown as text. */
export function isText(mediaType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|graphql|x-www-form-urlencoded)\b/i.test(mediaType)
}

/** The text of a body in the charset that its Content-Type names. */
export function decode(bytes: Uint8Array, contentType: string): string {
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A size, such as `345 B` or `12.3 KB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB']
  return `${size.toFixed(1)} ${unit}`
}

/** A duration, such as `12 ms` or `1.2 s`. */
export function formatDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
}

/** The name that Content-Disposition suggests, or the last part of the URL's path. */
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
