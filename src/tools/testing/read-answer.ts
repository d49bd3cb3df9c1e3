/** An answer as Node's server has written it to a connection, as far as it has come. */
export interface AnswerOnWire {
  readonly status: number
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly isComplete: boolean
}

/** An answer (RFC 9112) of Node's server; undefined until its head has come. nock and msw replace Node's client. */
function readAnswer(method: string, bytes: Buffer): AnswerOnWire | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const rest = bytes.subarray(end + 4)
  // These are interim answers: 100 Continue, 103 Early Hints.
  if (status < 200) return readAnswer(method, rest)
  const rawHeaders = lines.flatMap((line) => line.split(/:\s*(.*?)\s*$/s, 2))
  return { status, rawHeaders, ...readBody(method, status, rawHeaders, rest) }
}

/** Collects what comes in, and reads it where it may be whole: long answers come in many pieces. */
export function createAnswerReader(method: string) {
  const chunks: Buffer[] = []
  let last: AnswerOnWire | undefined
  let tail = ''
  let missing = 0
  const read = (): AnswerOnWire | undefined => (last = readAnswer(method, Buffer.concat(chunks)))
  return {
    /** The answer, as soon as its head has come; the same one while nothing can have been completed. */
    push(chunk: Buffer): AnswerOnWire | undefined {
      chunks.push(chunk)
      tail = (tail + chunk.toString('latin1', Math.max(chunk.length - 4, 0))).slice(-4)
      missing -= chunk.length
      // A last chunk and its trailers end with an empty line.
      if (last && missing > 0 && tail !== '\r\n\r\n') return last
      const isNew = !last
      read()
      if (isNew && last) missing = Number(findHeader(last.rawHeaders, 'content-length') ?? Infinity) - last.body.length
      return last
    },
    read,
  }
}

function readBody(method: string, status: number, rawHeaders: readonly string[], rest: Buffer) {
  if (method === 'HEAD' || status === 204 || status === 304) return { body: Buffer.alloc(0), isComplete: true }
  if (findHeader(rawHeaders, 'transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(rest)
  const length = findHeader(rawHeaders, 'content-length')
  // An answer without a length ends with the connection.
  if (length === undefined) return { body: rest, isComplete: false }
  return { body: rest.subarray(0, Number(length)), isComplete: rest.length >= Number(length) }
}

function readChunks(bytes: Buffer): Pick<AnswerOnWire, 'body' | 'isComplete'> {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    const size = end < 0 ? undefined : Number.parseInt(bytes.toString('latin1', at, end), 16)
    // Trailers may follow the last chunk.
    if (size === 0) return { body: Buffer.concat(chunks), isComplete: bytes.indexOf('\r\n\r\n', end) >= 0 }
    if (size === undefined || bytes.length < end + 2 + size) return { body: Buffer.concat(chunks), isComplete: false }
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}

function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  return rawHeaders.find((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name)
}
