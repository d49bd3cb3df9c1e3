// @ts-check
// A program in JavaScript that is checked.
import { createPlatformAuth } from 'express-platform-auth'
import { usage } from 'express-platform-auth/usage'

/** @param {{ counts?: boolean }} settings */
export function createPlatform({ counts }) {
  return createPlatformAuth({
    baseUrl: 'https://a.example',
    apis: { orders: { scheme: 'oauth2' } },
    features: [usage({ collect: counts }), counts ? usage() : undefined],
  })
}
const auth = createPlatform({})
void auth.usage.list({ api: 'orders' })
// @ts-expect-error a misspelt API
void auth.usage.list({ api: 'ordres' })
