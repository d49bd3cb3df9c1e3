import { createHash } from 'node:crypto'

/** The source with which a Content-Security-Policy allows a style or a script that is in the page. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
