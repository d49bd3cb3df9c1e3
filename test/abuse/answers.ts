/** An answer that was read from a socket. */
export interface Answer {
  readonly status: number
  /** By lower-case name. The values of repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** Latin1. */
  readonly body: string
  /** Whether the server closes the connection after it. */
  readonly closes: boolean
}

/** Splits a stream of bytes into answers. */
export interface AnswerReader {
  push(bytes: string): void
  /** The next complete answer to a request with that method. */
  take(method: string): Answer | undefined
  /** The last answer, if it ends with the connection. */
  end(): Answer | undefined
}

export function createAnswerReader(): AnswerReader {
  let text = ''

  function parseHead(): (Omit<Answer, 'body'> & { start: number }) | undefined {
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return undefined
      const lines = text.slice(0, end).split('\r\n')
      const status = Number(lines[0]!.split(' ', 2)[1])
      if (status === 100) {
        text = text.slice(end + 4)
        continue
      }
      const headers: Record<string, string> = {}
      for (let i = 1; i < lines.length; i++) {
        const line = lines[i]!
        const colon = line.indexOf(':')
        const name = line.slice(0, colon).toLowerCase()
        const value = line.slice(colon + 2)
        headers[name] = name in headers ? `${headers[name]}, ${value}` : value
      }
      return { status, headers, closes: /close/i.test(headers['connection'] ?? ''), start: end + 4 }
    }
  }

  return {
    push(bytes) {
      text += bytes
    },
    take(method) {
      const found = parseHead()
      if (!found) return undefined
      const { start, ...answer } = found
      const bodiless = method === 'HEAD' || answer.status === 204 || answer.status === 304
      const length = bodiless ? 0 : Number(answer.headers['content-length'] ?? NaN)
      if (Number.isNaN(length)) return undefined
      if (text.length < start + length) return undefined
      const body = text.slice(start, start + length)
      text = text.slice(start + length)
      return { ...answer, body }
    },
    end() {
      const found = parseHead()
      if (!found || found.headers['content-length'] !== undefined) return undefined
      const { start, ...answer } = found
      return { ...answer, body: text.slice(start) }
    },
  }
}
