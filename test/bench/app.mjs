import express from 'express'
import { ANSWER } from './answer.mjs'

/** An Express app with default settings. */
export function newApp() {
  return express()
}

/** The contender's route, and an error middleware for contenders that refuse through `next(error)`. */
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
