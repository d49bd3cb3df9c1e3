import { guardedApp } from '../app.mjs'

/** The base of all comparisons: the route without a guard. */
export async function start() {
  return { app: guardedApp() }
}
