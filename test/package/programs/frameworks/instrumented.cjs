/**
 * Apps under instrumentation, and what they answer before and after expectSecured(). Usage: `node instrumented.cjs <telemetry>`;
 * it prints JSON: name of the app -> verdict.
 */
const [telemetry] = process.argv.slice(2)
const { countSpans, finish } = require(`./${telemetry}.cjs`)
const express = require('express')
const { once } = require('node:events')
const { createTestPlatform, expectSecured, headersFor } = require('express-platform-auth/testing')

const answer = (req, res) => void res.json({ id: req.params.id })
const createRouter = () => express.Router().get('/b/:id', answer)

const APPS = {
  'a guard on the route': (app, guard) => app.get('/orders/b/:id', guard, answer),
  'a guard on the route in a router': (app, guard) => app.use('/orders', express.Router().get('/b/:id', guard, answer)),
  'guard and router on one mount': (app, guard) => app.use('/orders', guard, createRouter()),
  'a guard, then a router': (app, guard) => app.use('/orders', guard).use('/orders', createRouter()),
  'router.use(guard)': (app, guard) => app.use('/orders', express.Router().use(guard).use(createRouter())),
  'a mounted app': (app, guard) => app.use('/orders', guard, express().get('/b/:id', answer)),
  'an open router': (app) => app.use('/orders', createRouter()),
}

async function main() {
  const verdicts = {}
  for (const [shape, build] of Object.entries(APPS)) {
    const { auth } = createTestPlatform({ apis: { orders: { scheme: 'oauth2' } } })
    const app = express().use(auth.router)
    build(app, auth.requireBearer('orders'))
    finish(app)
    const server = app.listen(0)
    await once(server, 'listening')
    const good = await headersFor(auth, 'orders')
    const ask = async (path, headers) => {
      const response = await fetch(`http://localhost:${server.address().port}${path}`, {
        headers: { ...headers, connection: 'close' },
      })
      return `${response.status} ${(await response.text()).slice(0, 40)}`
    }
    const askAll = async () => [await ask('/orders/b/7', good), await ask('/orders/b/7', {}), await ask('/nowhere', {})]
    const before = await askAll()
    const problems = await expectSecured(app, { auth }).then(
      () => [],
      (error) => error.problems,
    )
    verdicts[shape] = { kinds: [...new Set(problems.map(({ kind }) => kind))], before, after: await askAll() }
    server.close()
    await auth.close()
  }
  console.log(JSON.stringify({ verdicts, spans: countSpans() }))
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
