import express from 'express'

/** What every guarded route answers, whoever guards it. */
export const ANSWER = {
  orders: [
    { id: 'ord_1', customer: 'Corner Shop', total: 1250, currency: 'EUR', status: 'paid' },
    { id: 'ord_2', customer: 'Price Watch', total: 480, currency: 'EUR', status: 'open' },
  ],
}

/** An app as `npx express` users have it: no setting changed. */
export function newApp() {
  return express()
}

/** The one route of a contender. Two errors in a row are the contender's, so that a refusal's status is its own. */
export function guardedApp(...guards) {
  const app = newApp()
  app.get('/items', ...guards, (_req, res) => {
    res.json(ANSWER)
  })
  app.use((error, _req, res, _next) => {
    res.status(error.status ?? 500).json({ error: error.code ?? 'server_error' })
  })
  return app
}
