import type express from 'express'
import { plans } from '../../../src/features/plans/index.js'
import { memoryStore } from '../../../src/index.js'
import type { Platform } from '../../../src/tools/operator/visit.js'
import { PLATFORM_PARTS } from '../../../src/shared/contracts/platform-parts.js'
import { operatorPages, type OperatorPagesOptions } from '../../../src/tools/operator/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { EXPRESSES, openPlatform, type TestOptions } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** Text that would do harm where it is not escaped. */
export const HOSTILE = `"><script>alert(1)</script>=HYPERLINK('x')&amp;`

/** A platform with every feature and the operator's pages at `/staff/operator`, behind a sign-in by a header. */
export async function openOperator(
  given: Partial<OperatorPagesOptions> = {},
  createApp: typeof express = EXPRESSES['Express 5'],
  options: TestOptions = {},
) {
  const store = memoryStore()
  const mailer = memoryMailer()
  const { auth, clock, logger } = openPlatform({
    store,
    mailer: {
      // For now: the e-mail waits for its next attempt.
      async send(message) {
        if (message.to.startsWith('bounce')) throw Object.assign(new Error('Refused'), { responseCode: 450 })
        await mailer.send(message)
      },
    },
    developersUrl: 'https://api.example.com/developers',
    registration: {},
    plans: plans({
      free: { requests: [{ limit: 1000, per: 'month' }] },
      gold: { requests: [{ limit: 5000, per: 'day' }] },
    }),
    ...options,
  })
  await auth.ready()
  const app = createApp()
  app.use(auth.router)
  app.use('/developers/applications', auth.portal.router)
  app.use('/staff/operator', operatorPages(auth, { operator: (req) => req.headers['x-staff'], ...given }))
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    request(app)
      .get(`/staff/operator${path}`)
      .set({ 'X-Staff': 'alice@example.com', ...headers })
  const { core } = (auth as Platform)[PLATFORM_PARTS]!
  return { app, auth, core, clock, logger, store, mailer, get }
}

/** What report-only guards have let pass, as the store counts it. */
export function createReported(applicationId: string, at: number, route = 'GET /orders') {
  const times = { firstAt: at, lastAt: at }
  return { applicationId, api: 'orders', route, reason: 'insufficient_scope', count: 7, ...times }
}

export type OperatorApp = Awaited<ReturnType<typeof openOperator>>
