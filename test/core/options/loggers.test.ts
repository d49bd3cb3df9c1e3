import { Console } from 'node:console'
import { readdirSync, readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import bunyan from 'bunyan'
import express from 'express'
import { parseSync, Visitor } from 'oxc-parser'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import winston from 'winston'
import { memoryStore, type Logger } from '../../../src/index.js'
import { readLogger } from '../../../src/core/options/read-logger.js'
import { accessTokenFor } from '../../../src/tools/testing/index.js'
import { failingStore, STORE_FAILURE } from '../../support/failing-store.js'
import { openPlatform, type TestOptions } from '../../support/platform.js'
import { request } from '../../support/request.js'

/** Each logs as its documentation shows; what it writes is text. */
const LOGGERS: Readonly<Record<string, (stream: Writable) => Logger>> = {
  'pino()': (stream) => pino(stream),
  'a child of pino()': (stream) => pino(stream).child({ module: 'auth' }),
  'a class around pino (nestjs-pino)': (stream) => {
    const logger = pino(stream)
    const at =
      (level: keyof Logger) =>
      (...args: [string]): void =>
        logger[level](...args)
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), logger } as Logger
  },
  'winston with JSON': (stream) => winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }),
  'winston with text': (stream) =>
    winston.createLogger({ format: winston.format.simple(), transports: [new winston.transports.Stream({ stream })] }),
  'a child of winston': (stream) =>
    winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }).child({ module: 'auth' }),
  bunyan: (stream) => bunyan.createLogger({ name: 'app', streams: [{ stream }] }),
  console: (stream) => new Console(stream, stream),
}

function openLogger(create: (stream: Writable) => Logger): { logger: Logger; read: () => string } {
  let written = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      done()
    },
  })
  return { logger: create(stream), read: () => written }
}

function fail(): never {
  throw new Error('CAUSE', { cause: new TypeError('ROOT') })
}

/** What goes wrong in a platform, and what its log line begins with. */
const FAULTS: readonly (readonly [line: string, cause: string, provoke: (options: TestOptions) => Promise<void>])[] = [
  [
    'orders: 500 server_error',
    'CAUSE',
    async (options) => {
      const { auth } = open(options)
      const app = express()
        .use(auth.router)
        .get('/orders', auth.requireBearer('orders', { allow: fail }))
      const token = await accessTokenFor(auth, 'orders')
      await request(app).get('/orders').auth(token, { type: 'bearer' }).expect(500)
    },
  ],
  [
    'A listener of application.registered failed.',
    'CAUSE',
    async (options) => {
      const { auth } = open(options)
      auth.events.on('application.registered', fail)
      await auth.applications.create({ name: 'Shop', apis: ['catalog'] })
    },
  ],
  [
    '500 server_error',
    'CAUSE',
    async (options) => {
      const mailer = { send: async () => undefined }
      const { auth } = open({ ...options, mailer, now: Date.now, registration: { allow: fail } })
      const app = express().use('/register', auth.registration.router)
      await request(app)
        .post('/register')
        .send({ name: 'Shop', contact: 'a@b.example', apis: ['catalog'] })
        .expect(500)
    },
  ],
  [
    'The store is unavailable.',
    STORE_FAILURE,
    async (options) => {
      const store = failingStore(memoryStore())
      const { auth } = open({ ...options, store })
      await auth.ready()
      store.fail()
      await expect(auth.applications.list()).rejects.toThrow()
    },
  ],
  [
    'emails.compose did not write',
    'CAUSE',
    async (options) => {
      const sent = deferred()
      const mailer = { send: async () => sent.resolve() }
      const { auth } = open({ ...options, mailer, compose: fail })
      await auth.registration.register({ name: 'Shop', contact: 'a@b.example', apis: ['catalog'] })
      await sent.promise
    },
  ],
]

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => void (resolve = settle))
  return { promise, resolve }
}

function open(options: TestOptions) {
  const made = openPlatform(options)
  onTestFinished(() => made.auth.close())
  return made
}

describe.each(Object.entries(LOGGERS))('with %s as logger', (_name, create) => {
  it.each(FAULTS)('"%s" is logged with cause and stack', async (line, cause, provoke) => {
    const { logger, read } = openLogger(create)
    await provoke({ logger })
    await expect.poll(read).toContain(line)
    expect(read()).toContain(cause)
    expect(read()).toMatch(/\bat .*(?:loggers\.test|failing-store)\.ts/)
    if (cause === 'CAUSE') expect(read()).toContain('ROOT')
  })

  it('a line without an error, one with a text and one with an object are complete', () => {
    const { logger, read } = openLogger(create)
    const { error, warn } = readLogger(logger)
    warn.call(logger, 'Only a message: 100 %.')
    error.call(logger, 'A message.', 'DESCRIPTION')
    error.call(logger, 'A message.', { code: 'ECODE' })
    for (const part of ['100 %.', 'DESCRIPTION', 'ECODE']) expect(read()).toContain(part)
  })

  it('the level that the host sets later counts', () => {
    const { logger, read } = openLogger(create)
    const adapted = readLogger(logger)
    if (Object.hasOwn(logger, 'level') && 'level' in logger && typeof logger.level === 'string') logger.level = 'error'
    else if ('level' in logger && typeof logger.level === 'function') logger.level('error')
    else return
    adapted.warn('NOT TO BE SEEN')
    adapted.error('A message.', new Error('SEEN'))
    expect(read()).toContain('SEEN')
    expect(read()).not.toContain('NOT TO BE')
  })
})

it('every log call of src has a text, and at most one value beside it', () => {
  const src = new URL('../../../src/', import.meta.url)
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const calls = paths.flatMap((path) => {
    const text = readFileSync(new URL(path, src), 'utf8')
    // Parsing all of src takes seconds.
    if (!text.includes('logger')) return []
    const { program } = parseSync(path, text)
    const found: string[][] = []
    new Visitor({
      CallExpression({ callee, arguments: args }) {
        if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return
        if (callee.object.name === 'logger') found.push(args.map(({ type }) => type))
      },
    }).visit(program)
    return found.map((types) => ({ path, types }))
  })
  expect(calls.length).toBeGreaterThan(20)
  for (const { path, types } of calls.filter(({ path }) => path !== 'options/read-logger.ts')) {
    expect(types.length, path).toBeLessThanOrEqual(2)
    expect(types[1], path).not.toBe('ObjectExpression')
  }
})
