import { apiKey } from '@better-auth/api-key'
import { betterAuth } from 'better-auth'
import { guardedApp } from '../app.mjs'

/**
 * Its API-key plugin through `auth.api.verifyApiKey()`, as in its documentation: with its in-memory adapter, or with the
 * secondary storage that it recommends for speed, here a Map. Its rate limit (10 a day) is off.
 */
export async function start({ applications = 1000, secondary = false }) {
  const kept = new Map()
  const auth = betterAuth({
    baseURL: 'http://127.0.0.1',
    secret: 'a secret of 32 characters or more, and random',
    logger: { disabled: true },
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    ...(secondary && {
      secondaryStorage: {
        get: (name) => kept.get(name) ?? null,
        set: (name, value) => void kept.set(name, value),
        delete: (name) => void kept.delete(name),
      },
    }),
    plugins: [apiKey({ rateLimit: { enabled: false }, ...(secondary && { storage: 'secondary-storage' }) })],
  })
  const { user } = await auth.api.signUpEmail({
    body: { name: 'Owner', email: 'owner@example.com', password: 'correct horse battery staple' },
  })
  const keys = []
  for (let i = 0; i < applications; i++) {
    const { key } = await auth.api.createApiKey({ body: { name: `Application ${i}`, userId: user.id } })
    keys.push(key)
  }

  async function guard(req, res, next) {
    const { valid, key } = await auth.api.verifyApiKey({ body: { key: req.get('X-Api-Key') } })
    if (!valid) {
      res.status(401).json({ error: 'invalid_api_key' })
      return
    }
    req.apiKey = key
    next()
  }
  return { app: guardedApp(guard), lines: { keys } }
}
