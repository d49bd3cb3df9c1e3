import { newApp } from '../app.mjs'

/** The base for token endpoints: an answer of the same size to a request whose body is not read. */
export async function start() {
  const answer = {
    access_token: 'x'.repeat(578),
    token_type: 'bearer',
    expires_in: 3600,
    scope: 'orders:read orders:write',
  }
  const app = newApp()
  app.post('/token', (_req, res) => {
    res.json(answer)
  })
  return { app }
}
