import { guardedApp } from '../app.mjs'
import { issue } from '../tokens.mjs'

/** The base of all comparisons: the route without a guard. With `tokens`, requests have an access token that nobody reads. */
export async function start({ tokens = 0 }) {
  return { app: guardedApp(), lines: tokens > 0 ? issue(tokens).lines : undefined }
}
