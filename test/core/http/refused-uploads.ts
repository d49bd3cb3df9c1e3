import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../support/blocking-uploads.py', import.meta.url))

/** An upload of a client that writes everything before it reads. */
export interface Upload {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
  /** `slow`: in 20 pieces over `seconds`. */
  readonly how: 'length' | 'chunked' | 'expect' | 'slow'
  readonly seconds?: number
}

/** Sends uploads one after the other, each on a connection of its own; resolves the status of each, or the name of its error. */
export function sendUploads(port: number, uploads: readonly Upload[]): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile('/usr/bin/python3', [PROGRAM, String(port)], (error, stdout) => {
      if (error) reject(error)
      else resolve(stdout.trim().split('\n'))
    })
    child.stdin?.end(uploads.map((upload) => JSON.stringify(upload)).join('\n'))
  })
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** One upload to each place that refuses some, with the status that it must get. Those of the portal are of another origin. */
export function listRefusedUploads(upload: Pick<Upload, 'bytes' | 'how' | 'seconds'>): (Upload & { status: string })[] {
  return [
    { ...upload, method: 'POST', path: '/orders/items', headers: {}, status: '401' },
    { ...upload, method: 'POST', path: '/orders/items', headers: { Authorization: 'Bearer wrong' }, status: '401' },
    { ...upload, method: 'PUT', path: '/catalog/items', headers: { 'X-Api-Key': 'wrong' }, status: '401' },
    { ...upload, method: 'POST', path: '/orders/token', headers: FORM, status: '413' },
    { ...upload, method: 'POST', path: '/orders/token', headers: { 'Content-Type': 'text/plain' }, status: '400' },
    { ...upload, method: 'POST', path: '/orders/revoke', headers: FORM, status: '413' },
    { ...upload, method: 'POST', path: '/orders/introspect', headers: FORM, status: '413' },
    { ...upload, method: 'POST', path: '/register', headers: FORM, status: '413' },
    { ...upload, method: 'POST', path: '/register', headers: { 'Content-Type': 'application/json' }, status: '413' },
    {
      ...upload,
      method: 'POST',
      path: '/register/claim',
      headers: { 'Content-Type': 'application/json' },
      status: '413',
    },
    { ...upload, method: 'POST', path: '/register/decide', headers: FORM, status: '413' },
    { ...upload, method: 'POST', path: '/applications/sign-in', headers: FORM, status: '403' },
  ]
}
