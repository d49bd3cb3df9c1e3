import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'

/** Answers as Express does if nothing else has, for routers. (`finalhandler` would be a dependency.) */
export function createFinalHandler(req: IncomingMessage, res: ServerResponse): (error?: unknown) => void {
  return function answerFinally(error) {
    if (res.headersSent) {
      req.socket.destroy()
      return
    }
    const { status, headers } = error ? readError(error, res) : { status: 404, headers: {} }
    const path = (req.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '').replace(/\?.*$/, '')
    const text = error ? formatError(error, status) : `Cannot ${req.method} ${path}`
    const pre = text
      .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
      .replaceAll('\n', '<br>')
      .replaceAll('  ', ' &nbsp;')
    const body = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${pre}</pre>\n</body>\n</html>\n`
    for (const name of ['Content-Encoding', 'Content-Language', 'Content-Range']) res.removeHeader(name)
    res.writeHead(status, {
      ...headers,
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    })
    res.end(req.method === 'HEAD' ? undefined : body)
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

interface HttpError {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly stack?: string
}

function readError(error: unknown, res: ServerResponse): { status: number; headers: Readonly<Record<string, string>> } {
  const { status, statusCode, headers = {} } = error as HttpError
  const own = [status, statusCode].find(isErrorStatus)
  if (own !== undefined) return { status: own, headers }
  return { status: isErrorStatus(res.statusCode) ? res.statusCode : 500, headers: {} }
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && status >= 400 && status < 600
}

function formatError(error: unknown, status: number): string {
  if (process.env['NODE_ENV'] === 'production') return STATUS_CODES[status] ?? String(status)
  return (error as HttpError).stack ?? String(error)
}
