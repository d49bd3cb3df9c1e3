/**
 * Apps of frameworks, each behind guards and open, and the verdict of expectSecured(). Prints JSON: name -> for both, the routes or the
 * kinds of problems, and the status of a request with a good credential afterwards.
 */
const { resolve } = require('node:path')
const express = require('express')
const { createTestPlatform, expectSecured, fetchFrom, headersFor } = require('express-platform-auth/testing')

const apis = { orders: { scheme: 'oauth2', scopes: { 'orders:read': 'Read orders' } } }
const GRAPHQL = { paths: { '/graphql': { post: { security: [{ oauth2: ['orders:read'] }] } } } }
const pass = (req, res, next) => next()
const query = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query: '{ who }' }),
}

function createYoga(graphqlEndpoint) {
  const yoga = require('graphql-yoga')
  const schema = yoga.createSchema({
    typeDefs: 'type Query { who: String }',
    resolvers: { Query: { who: () => 'me' } },
  })
  return yoga.createYoga({ schema, graphqlEndpoint, logging: false })
}

/** Each gets a guard, or what lets everybody pass, and returns the app, a good request, and options of expectSecured(). */
const APPS = {
  'GraphQL Yoga'({ guard }) {
    const yoga = createYoga('/orders/graphql')
    return { app: express().use(yoga.graphqlEndpoint, guard, yoga), path: '/orders/graphql', init: query }
  },
  'GraphQL Yoga at the root, which collapses slashes'({ read, isOpen }) {
    const app = express()
    // The guard sees /orders/graphql only. Yoga takes other spellings for it.
    if (!isOpen)
      app.use((req, res, next) => (/\/\/|\/\.{1,2}(?:\/|$)/.test(req.url) ? void res.sendStatus(404) : next()))
    app.use('/orders', read).use(createYoga('/orders/graphql'))
    return { app, path: '/orders/graphql', init: query, documents: { orders: GRAPHQL } }
  },
  tRPC({ guard }) {
    const { initTRPC } = require('@trpc/server')
    const { createExpressMiddleware } = require('@trpc/server/adapters/express')
    const t = initTRPC.create()
    const router = t.router({ who: t.procedure.query(() => 'me') })
    return { app: express().use('/orders/trpc', guard, createExpressMiddleware({ router })), path: '/orders/trpc/who' }
  },
  async 'Apollo Server'({ guard }) {
    const { ApolloServer } = require('@apollo/server')
    const { expressMiddleware } = require('@as-integrations/express5')
    const server = new ApolloServer({
      typeDefs: 'type Query { who: String }',
      resolvers: { Query: { who: () => 'me' } },
    })
    await server.start()
    const app = express().use('/orders/graphql', guard, express.json(), expressMiddleware(server))
    return { app, path: '/orders/graphql', init: query }
  },
  async NestJS({ guard }) {
    const { Controller, Get, Module, UseGuards } = require('@nestjs/common')
    const { NestFactory } = require('@nestjs/core')
    class OrdersController {
      list() {
        return []
      }
    }
    Get('items')(
      OrdersController.prototype,
      'list',
      Object.getOwnPropertyDescriptor(OrdersController.prototype, 'list'),
    )
    UseGuards(nestGuard(guard))(OrdersController)
    Controller('orders')(OrdersController)
    function AppModule() {}
    Module({ controllers: [OrdersController] })(AppModule)
    const nest = await NestFactory.create(AppModule, { logger: false })
    await nest.init()
    return { app: nest.getHttpAdapter().getInstance(), path: '/orders/items' }
  },
  async 'express-zod-api'({ guard }) {
    const { attachRouting, createConfig, defaultEndpointsFactory } = await import('express-zod-api')
    const { z } = require('zod')
    const app = express()
    const endpoint = defaultEndpointsFactory
      .use(guard)
      .buildVoid({ method: 'get', input: z.object({}), handler: async () => undefined })
    const config = createConfig({ app, cors: false, logger: { level: 'silent' }, startupLogo: false })
    const { notFoundHandler } = attachRouting(config, { orders: { items: endpoint } })
    return { app: app.use(notFoundHandler), path: '/orders/items' }
  },
  tsoa({ auth, isOpen }) {
    const { RegisterRoutes } = require(isOpen ? './built/open/routes' : './built/secured/routes')
    require(resolve('built/authentication')).verifyWith(auth)
    const app = express().use(express.json())
    RegisterRoutes(app)
    app.use((error, _req, res, _next) => void res.status(error.status ?? 500).json({ error: error.code }))
    return { app, path: '/orders/items' }
  },
  'json-server'({ guard }) {
    const jsonServer = require('json-server')
    return { app: express().use('/orders', guard, jsonServer.router({ items: [{ id: 1 }] })), path: '/orders/items' }
  },
}

/** As docs/recipes/nestjs.md has it. */
function nestGuard(guard) {
  return {
    canActivate(context) {
      const http = context.switchToHttp()
      return new Promise((resolve, reject) => {
        guard(http.getRequest(), http.getResponse(), (error) => (error ? reject(error) : resolve(true)))
      })
    },
  }
}

async function main() {
  const verdicts = {}
  for (const [name, build] of Object.entries(APPS)) {
    verdicts[name] = {}
    for (const isOpen of [false, true]) {
      const { HttpException } = require('@nestjs/common')
      const onDenied = (denial, req, res, next) => {
        for (const [header, value] of Object.entries(denial.headers)) res.setHeader(header, value)
        next(new HttpException({ error: denial.error }, denial.status))
      }
      const { auth } = createTestPlatform({ apis, ...(name === 'NestJS' && { onDenied }) })
      const read = auth.requireBearer('orders', { scopes: ['orders:read'] })
      const { app, path, init, documents } = await build({ auth, guard: isOpen ? pass : read, read, isOpen })
      const headers = await headersFor(auth, 'orders')
      const ask = async () =>
        (await fetchFrom(app)(path, { ...init, headers: { ...init?.headers, ...headers } })).status
      const before = await ask()
      const { routes, problems = [] } = await expectSecured(app, { auth, documents }).catch((error) => error)
      if (!routes && problems.length === 0) throw new Error(`${name} was not checked.`)
      verdicts[name][isOpen ? 'open' : 'secured'] = {
        kinds: [...new Set(problems.map(({ kind }) => kind))],
        before,
        after: await ask(),
      }
      await auth.close()
    }
  }
  console.log(JSON.stringify(verdicts))
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(error)
    process.exit(1)
  },
)
