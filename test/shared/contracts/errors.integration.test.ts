import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import * as contracts from '../../../src/shared/contracts/errors.js'
import type * as esm from '../../../src/index.js'
import {
  ApplicationError,
  ConfigurationError,
  OAuthError,
  StoreIncompatibleError,
  StoreUnavailableError,
  createPlatformAuth,
  memoryStore,
} from '../../../src/index.js'
import { recordingLogger } from '../../support/platform.js'

/** The package's other copy: its classes are not the same objects as those of src. */
const commonJs = createRequire(import.meta.url)('../../../dist/cjs/index.js') as typeof esm

const types = { ...contracts, OAuthError }
const otherCopy = new URL('../../../dist/modules/shared/contracts/errors.js', import.meta.url)
const others = (await import(otherCopy.href)) as object

describe('the message of a ConfigurationError', () => {
  it.each([
    [
      { option: 'cors.origin', problem: 'has "x"', fix: 'An origin is scheme, host and port.' },
      'cors.origin has "x". An origin is scheme, host and port.',
    ],
    [{ problem: 'The options are 5', fix: 'Write an object.' }, 'The options are 5. Write an object.'],
  ])('is built from its parts: %j', (parts, message) => {
    const error = new ConfigurationError(parts)
    expect(error).toMatchObject({ ...parts, message, code: 'invalid_configuration' })
  })

  it('has its option, problem and fix where createPlatformAuth() throws it', () => {
    const call = () =>
      createPlatformAuth({ baseUrl: 'https://a.example', apis: { a: { scheme: 'apiKey', title: 5 } } } as never)
    expect(call).toThrow(expect.objectContaining({ option: 'apis.a.title', problem: 'is 5', fix: 'Write a string.' }))
  })
})

describe("instanceof recognizes an error of the package's CommonJS copy:", () => {
  it.each([
    ['every one that is published', commonJs as object],
    ['those of any other copy', others],
  ])('%s', (_, other) => {
    const classes = Object.entries(other as Record<string, new () => Error>).filter(
      ([name, each]) => each.prototype instanceof Error && name in types,
    )
    expect(classes.length).toBeGreaterThanOrEqual(5)
    for (const [name, { prototype }] of classes) {
      const type = (types as unknown as Record<string, new () => Error>)[name]!
      expect(type.prototype, name).not.toBe(prototype)
      expect(Object.create(prototype), name).toBeInstanceOf(type)
    }
  })

  it('but takes no other error, look-alike or value for one', () => {
    const lookAlike = Object.assign(new Error('m'), { name: 'StoreIncompatibleError', code: 'schema_too_new' })
    for (const other of [
      lookAlike,
      new StoreUnavailableError('m'),
      new ApplicationError('conflict', 'm'),
      {},
      null,
      undefined,
      'x',
    ]) {
      expect(other).not.toBeInstanceOf(StoreIncompatibleError)
    }
  })

  it('and a subclass is recognized by its own prototype', () => {
    class OwnError extends StoreUnavailableError {}
    expect(new OwnError('m')).toBeInstanceOf(OwnError)
    expect(new OwnError('m')).toBeInstanceOf(StoreUnavailableError)
    expect(new StoreUnavailableError('m')).not.toBeInstanceOf(OwnError)
  })
})

describe('ready()', () => {
  const options = { baseUrl: 'https://a.example', apis: { a: { scheme: 'apiKey' } } } as const

  it('rejects with ConfigurationError for a store that is incompatible', async ({ onTestFinished }) => {
    const parts = { problem: 'The database has schema 99', fix: 'Use the newer version.' }
    const store = {
      ...memoryStore(),
      open: () => Promise.reject(new commonJs.StoreIncompatibleError('schema_too_new', parts)),
    }
    const auth = createPlatformAuth({ ...options, store, logger: recordingLogger() })
    onTestFinished(() => auth.close())
    await expect(auth.ready()).rejects.toMatchObject({ name: 'ConfigurationError', ...parts })
  })

  it('with retry: false rejects at the first failed attempt, and resolves without retry: false later', async ({
    onTestFinished,
  }) => {
    let attempts = 0
    const open = async (): Promise<undefined> => {
      attempts += 1
      if (attempts === 1) throw new Error('down')
      return undefined
    }
    const auth = createPlatformAuth({ ...options, store: { ...memoryStore(), open }, logger: recordingLogger() })
    onTestFinished(() => auth.close())
    await expect(auth.ready({ retry: false })).rejects.toBeInstanceOf(StoreUnavailableError)
    await auth.ready()
    await auth.ready({ retry: false })
    expect(attempts).toBe(2)
  })
})
