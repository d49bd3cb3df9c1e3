import { guardedApp } from '../app.mjs'

/** What everything is compared with: the route, unguarded. */
export async function start() {
  return { app: guardedApp() }
}
