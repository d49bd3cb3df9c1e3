import express from 'express'
import { ANSWER } from './answer.mjs'

/** An app as `npx express` users have it: no setting changed. */
export function newApp() {
  return express()
}

/** The one route of a contender, and an error middleware for those that refuse by one. */
export function guardedApp(...guards) {
  const app = newApp()
  app.get('/items', ...guards, (_req, res) => {
    res.json(ANSWER)
  })
  app.use((error, _req, res, _next) => {
    res
      .status(error.status ?? 500)
      .set(error.headers ?? {})
      .json({ error: error.code ?? 'server_error' })
  })
  return app
}
