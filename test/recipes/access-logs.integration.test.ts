import express from 'express'
import morgan from 'morgan'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApplication, GRANT } from '../support/http.js'
import { usePlatform } from '../support/platform.js'
import { request } from '../support/request.js'
import { runBlock } from './run-block.js'

describe('docs/operations.md, "Access logs", with morgan', () => {
  const { auth } = usePlatform()
  let shop: Awaited<ReturnType<typeof createApplication>>

  beforeAll(async () => {
    shop = await createApplication(auth, ['orders'])
  })

  /** What is logged of a token request with HTTP Basic. `log` is morgan, but does not write to the console. */
  async function logTokenRequest(addLogger: (app: express.Express, log: typeof morgan) => unknown): Promise<string> {
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const log = Object.assign((format: string) => morgan(format, { stream }), { token: morgan.token }) as typeof morgan
    const app = express()
    await addLogger(app, log)
    app.use(auth.router)
    await request(app).post('/orders/token').type('form').auth(shop.clientId, shop.clientSecret).send(GRANT).expect(200)
    await expect.poll(() => lines).toHaveLength(1)
    return lines[0]!
  }

  it('logs the key without the recipe, and not with it', async () => {
    expect(await logTokenRequest((app, log) => app.use(log('combined')))).toContain(shop.clientId)

    const redacted = await logTokenRequest((app, log) =>
      runBlock('docs/operations.md', 'Access logs', {
        variables: { app },
        modules: { morgan: { __esModule: true, default: log } },
      }),
    )
    expect(redacted).toMatch(/ - - \[.*\] "POST \/orders\/token HTTP\/1\.1" 200 \d+ /)
    expect(redacted).not.toMatch(/epa_|app_/)
  })
})
