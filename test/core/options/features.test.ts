import { describe, expect, it } from 'vitest'
import {
  checkOptions,
  ConfigurationError,
  createPlatformAuth,
  memoryStore,
  type FeatureEntry,
  type PlatformAuthOptions,
} from '../../../src/index.js'
import { emails } from '../../../src/features/emails/index.js'
import { imports } from '../../../src/features/imports/index.js'
import { portal } from '../../../src/features/portal/index.js'
import { registration } from '../../../src/features/registration/index.js'
import { usage } from '../../../src/features/usage/index.js'
import { readOptions } from '../../../src/core/options/read-platform-options.js'
import type { Store, StorePart } from '../../../src/store.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { recordingLogger } from '../../support/platform.js'
import { atEnd } from '../../support/at-end.js'
import { whilePolluted } from '../../support/while-polluted.js'

const CORE = {
  baseUrl: 'https://api.example.com',
  apis: { orders: { scheme: 'oauth2' }, catalog: { scheme: 'apiKey' } },
  developersUrl: 'https://example.com/developers',
} as const satisfies PlatformAuthOptions
const mailer = memoryMailer()
const EVERY = [emails({ mailer }), registration(), portal(), usage(), imports()]
const FACTORIES = { emails, registration, portal, usage, imports }
const NAMES = ['emails', 'imports', 'portal', 'registration', 'usage']

/** A platform with what the compiler has not checked. */
function open(features: unknown, options: object = {}) {
  const logger = recordingLogger()
  const given = { ...CORE, store: memoryStore(), logger, ...options, features: features as FeatureEntry[] }
  const auth = createPlatformAuth(given)
  atEnd(auth.close)
  return { auth, logger }
}

/** The message of the error that both calls have for these features. */
function messageOfRefusal(features: unknown, options: object = {}): string {
  const { error } = checkOptions({ ...CORE, ...options, features } as PlatformAuthOptions)
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(() => open(features, options)).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option: error!.option, message: error!.message }),
  )
  return error!.message
}

const listNames = (auth: object): string[] => NAMES.filter((name) => name in auth)

describe('the option features', () => {
  it('adds one member for each, and none without it', async () => {
    expect(listNames(open(undefined).auth)).toEqual([])
    expect(listNames(open([]).auth)).toEqual([])
    expect(listNames(open([usage()]).auth)).toEqual(['usage'])
    const { auth } = open(EVERY)
    expect(listNames(auth)).toEqual(NAMES)
    await auth.ready()
  })

  it('is named where a feature is given as an option of the platform', () => {
    for (const name of [...NAMES, 'plans'])
      expect(() => readOptions({ ...CORE, [name]: {} } as never, () => undefined)).toThrow(
        `${name} is a feature, not an option. Write features: [${name}({ ... })], with ${name} of express-platform-auth/${name}.`,
      )
  })

  it('may have any order', () => {
    for (const features of permute(EVERY)) {
      const { features: read } = readOptions({ ...CORE, features }, () => undefined)
      const at = (name: string) => read.findIndex((each) => each.name === name)
      const order = read.map(({ name }) => name).join()
      expect(read.map(({ name }) => name).toSorted(), order).toEqual(NAMES)
      for (const [needed, by] of [
        ['emails', 'registration'],
        ['emails', 'portal'],
        ['registration', 'portal'],
        ['usage', 'portal'],
      ] as const) {
        expect(at(needed), order).toBeLessThan(at(by))
      }
    }
  })

  it('leaves out false, undefined and the empty text', () => {
    const { auth } = open([false, usage(), undefined, '', false])
    expect(listNames(auth)).toEqual(['usage'])
  })

  it.each([
    [null, /^features is null\. Write a list, such as \[usage\(\)\]\.$/],
    [{ usage: true }, /^features is an object\. Write a list/],
    ['usage', /^features is a string\. Write a list/],
    [usage(), /^features is .*Write a list/],
    [new Set([usage()]), /^features is .*Write a list/],
    [[usage], /^features\[0\] is a function\. Call it if it makes a feature: usage\(\) from ".*\/usage"\.$/],
    [[usage(), emails], /^features\[1\] is a function\. Call it/],
    [['usage'], /^features\[0\] is a string\. Give a feature, .* ".*\/usage"; a mailer as emails\(\{ mailer \}\)\.$/],
    [[null], /^features\[0\] is null\. Give a feature/],
    [[true], /^features\[0\] is true\. Give a feature/],
    [[0], /^features\[0\] is 0\. Give a feature/],
    [[[usage()]], /^features\[0\] is a list\. Write what it has into features: \.\.\.list\.$/],
    [[{}], /^features\[0\] is an object\. Give a feature/],
    [[memoryMailer()], /^features\[0\] is an object\. Give a feature.*; a mailer as emails\(\{ mailer \}\)\.$/],
    [[{ name: 'usage' }], /^features\[0\] is an object\. Give a feature/],
    [[{ prepare() {} }], /^features\[0\] is an object\. Give a feature/],
    [[usage(), Promise.resolve(usage())], /^features\[1\] is an object\. Give a feature/],
    [[usage(), usage({ collect: false })], /^features has usage\(\) twice\. Give each feature once\.$/],
    [[portal(), usage()], /^features has portal\(\), which needs emails\(\)\. Add emails\(\) from ".*\/emails"\.$/],
    [[false, registration()], /^features has registration\(\), which needs emails\(\)\. Add emails\(\) from /],
  ] as readonly (readonly [unknown, RegExp])[])('refuses %j', (features, message) => {
    expect(messageOfRefusal(features)).toMatch(message)
  })

  it.each([
    [[{ hmacKey: 'a-password' }]],
    [{ hmacKey: 'a-password' }],
    ['smtp://user:a-password@mail'],
    [['smtp://user:a-password@mail']],
    [[{ host: 'mail', auth: { user: 'user', pass: 'a-password' } }]],
    [[imports('a-password' as never)]],
    [[emails('smtp://user:a-password@mail' as never)]],
    [[emails({ host: 'mail', auth: { pass: 'a-password' } } as never)]],
    [[emails({ mailer: 'smtp://user:a-password@mail' } as never)]],
    [[imports({ hmacKey: ['a-password', ''] })]],
  ])('shows no secret of a mistake: %#', (features) => {
    const message = messageOfRefusal(features)
    expect(message).toMatch(/^\w+(?:\[0\]|\.\w+)? is /)
    expect(message).not.toContain('a-password')
  })

  it('takes a list with holes as it takes undefined', () => {
    // oxlint-disable-next-line no-sparse-arrays -- a mistake that a list can have
    expect(listNames(open([, usage()]).auth)).toEqual(['usage'])
  })

  it('is not taken from a polluted Object.prototype', async () => {
    await whilePolluted({ features: [usage()], prepare: () => () => ({ calls: {} }) }, () => {
      expect(listNames(createPlatformAuth({ ...CORE, store: memoryStore() }))).toEqual([])
      expect(messageOfRefusal([{ name: 'other' }])).toMatch(/^features\[0\] is an object\. Give a feature/)
    })
  })
})

describe('a store that lacks a part', () => {
  const without = (...parts: StorePart[]): Store => ({
    ...memoryStore(),
    ...Object.fromEntries(parts.map((part) => [part, undefined])),
  })

  it.each([
    ['emails', 'emails', [emails({ mailer })]],
    ['signIns', 'portal', [portal(), emails({ mailer })]],
    ['usage', 'usage', [usage()]],
    ['imports', 'imports', [imports()]],
  ] as const)('%s is refused with the feature that needs it: %s', (part, name, features) => {
    expect(messageOfRefusal(features, { store: without(part) })).toBe(
      `store has no part \`${part}\`, which ${name}() needs. Use a store that has it, or leave out ${name}().`,
    )
    const others = (['emails', 'signIns', 'usage', 'imports'] as const).filter(
      (other) => other !== part && !(name === 'portal' && other === 'emails'),
    )
    expect(() => open(features, { store: without(...others) })).not.toThrow()
  })

  it('serves the core, which needs none', async () => {
    const { auth, logger } = open([], { store: without('emails', 'usage', 'signIns', 'imports') })
    const { application, credentials } = await auth.applications.create({
      name: 'Shop',
      contact: 'dev@shop.example',
      apis: ['orders', 'catalog'],
    })
    const { id } = application
    expect(await auth.verifyApiKey('catalog', credentials.clientId)).toMatchObject({ application: { id } })
    await auth.applications.update(id, { contact: 'other@shop.example' })
    await auth.applications.addContact(id, 'ann@shop.example')
    await auth.applications.rotateKey(id)
    await auth.applications.suspend(id)
    await auth.applications.resume(id)
    await auth.applications.delete(id)
    expect((await auth.audit.list({ applicationId: id })).items.map(({ type }) => type)).toEqual([
      'application.registered',
      'application.updated',
      'application.contactAdded',
      'application.credentialRotated',
      'application.suspended',
      'application.resumed',
      'application.deleted',
    ])
    expect(logger.lines).toEqual([])
  })
})

describe('the value of a feature', () => {
  it('serves several platforms, each with its own state', async () => {
    const received = memoryMailer()
    const features = [usage(), emails({ mailer: received }), registration()] as const
    const one = createPlatformAuth({ ...CORE, store: memoryStore(), features })
    const other = createPlatformAuth({ ...CORE, baseUrl: 'https://api.example.org', store: memoryStore(), features })
    for (const { close } of [one, other]) atEnd(close)
    expect(one.usage).not.toBe(other.usage)
    const { application } = await one.registration.register({
      name: 'Shop',
      contact: 'dev@shop.example',
      apis: ['catalog'],
    })
    await expect.poll(() => received.emails.length).toBe(1)
    expect(received.emails[0]!.subject).toContain('api.example.com')
    expect(await other.applications.get(application.id)).toBeUndefined()
    await one.close()
    await other.registration.register({ name: 'Shop', contact: 'dev@shop.example', apis: ['catalog'] })
    await expect.poll(() => received.emails.length).toBe(2)
    expect(received.emails[1]!.subject).toContain('api.example.org')
  })

  const OPERATOR = 'ops@example.com'
  const TOO_MANY = Array.from({ length: 11 }, (_, i) => `o${i}@example.com`)

  it.each([
    ['emails', undefined, /^emails\.mailer is missing\. Write emails\(\{ mailer \}\): smtpMailer\(\) from /],
    ['emails', 'compose', /^emails is a string\. Write an object with mailer, delivery, compose, remindBefore/],
    ['emails', { mailer: 'smtp://ann:password@mail' }, /^emails\.mailer is not a mailer\.(?!.*password)/],
    ['emails', { mailer: {} }, /^emails\.mailer is not a mailer/],
    ['emails', mailer, /^emails\.mailer is missing\. Write emails\(\{ mailer \}\)/],
    ['emails', { mailer, delivery: 'link' }, /^emails\.delivery is "link"\. E-mails contain the creden/],
    ['emails', { mailer, compose: 'x' }, /^emails\.compose is "x"\. Give it a function/],
    ['emails', { mailer, composer: null }, /^emails\.composer is not an option\. Did you mean "compose"\?$/],
    ['emails', { mailer, remindBefore: 30 }, /^emails\.remindBefore is 30\. List up to 10 numbers of days/],
    ['emails', { mailer, remindBefore: [30, 0] }, /^emails\.remindBefore\[1\] is 0\. Write a whole number/],
    // oxlint-disable-next-line no-sparse-arrays -- a mistake that a list can have
    ['emails', { mailer, remindBefore: [, 1] }, /^emails\.remindBefore\[0\] is missing/],
    ['emails', { mailer, remindBefore: Array.from({ length: 11 }, (_, i) => i + 1) }, /^emails\.remindBefore is /],

    [
      'registration',
      true,
      /^registration is true\. Write an object with operators, allow, .*, limits, or leave it out\.$/,
    ],
    ['registration', { operators: OPERATOR }, /^registration\.operators is "ops@example\.com"\. List 1 to 10 e-mail/],
    ['registration', { operators: [] }, /^registration\.operators is \[\]\. List 1 to 10/],
    ['registration', { operators: TOO_MANY }, /^registration\.operators is .*List 1 to 10/],
    [
      'registration',
      { operators: ['Ops <ops@example.com>'] },
      /^registration\.operators\[0\] is "Ops <.*Write one plain e-/,
    ],
    ['registration', { operators: [OPERATOR, 'a@example.com,b@example.com'] }, /^registration\.operators\[1\] is /],
    ['registration', { operators: [undefined] }, /^registration\.operators\[0\] is missing/],
    ['registration', { allow: true }, /^registration\.allow is true\. Give it a function/],
    ['registration', { limit: {} }, /^registration\.limit is not an option\. Did you mean "limits"\?$/],
    ['registration', { limits: 5 }, /^registration\.limits is 5/],
    ['registration', { limits: { registration: 5 } }, /^registration\.limits\.registration is 5\. Write \{ limit: 100/],
    ['registration', { limits: { allRegistrations: { limit: 5 } } }, /^registration\.limits\.allReg\w+\.window is mis/],
    ['registration', { limits: { foldTags: 1 } }, /^registration\.limits\.foldTags is 1\. Write true or false/],
    ['registration', { limits: { ipv6Prefix: 32 } }, /^registration\.limits\.ipv6Prefix is 32\. Choose one of 4/],

    ['portal', 'yes', /^portal is a string\. Write an object with actions, limits, or leave it out\.$/],
    ['portal', { actions: { rotate: 'no' } }, /^portal\.actions\.rotate is "no"\. Write true or false/],
    ['portal', { actions: { rotat: false } }, /^portal\.actions\.rotat is not an option\. Did you mean "rotate"\?$/],
    ['portal', { rotate: false }, /^portal\.rotate is not an option/],
    ['portal', { limits: { signIn: 5 } }, /^portal\.limits\.signIn is 5\. Write \{ limit: 100/],
    ['portal', { limits: { actions: { limit: 0, window: 1 } } }, /^portal\.limits\.actions\.limit is 0/],

    ['usage', true, /^usage is true\. Write an object with retention, collect, routes, or leave it out\.$/],
    ['usage', { retention: 0 }, /^usage\.retention is 0\. Write a whole number of at least 1/],
    ['usage', { retention: 36_501 }, /^usage\.retention is 36501\. Write days: at most 36500/],
    ['usage', { collect: 'no' }, /^usage\.collect is "no"\. Write true or false/],
    ['usage', { retain: 5 }, /^usage\.retain is not an option\. There are|Did you mean "retention"/],

    ['imports', 'yes', /^imports is a string\. Write an object with hmacKey, or leave it out\.$/],
    ['imports', true, /^imports is true\. Write an object with hmacKey/],
    ['imports', ['key'], /^imports is .*Write an object with hmacKey/],
    ['imports', { hmacKeys: 'key' }, /^imports\.hmacKeys is not an option.*hmacKey/],
    ['imports', { hmacKey: undefined }, /^imports\.hmacKey is no key.*environment variable/],
    ['imports', { hmacKey: [] }, /^imports\.hmacKey is no key/],
    ['imports', { hmacKey: '' }, /^imports\.hmacKey is no key/],
    ['imports', { hmacKey: ['secret key', 5] }, /^imports\.hmacKey is no key(?!.*secret key)/],
  ] as readonly (readonly [name: keyof typeof FACTORIES, options: unknown, message: RegExp])[])(
    'keeps the options of %s() without throwing, and both calls refuse %j',
    (name, options, message) => {
      const value = FACTORIES[name](options as never)
      const needed = name === 'registration' || name === 'portal' ? [emails({ mailer })] : []
      expect(messageOfRefusal([...needed, value])).toMatch(message)
    },
  )

  it.each([
    [[emails({ mailer, delivery: 'claim-link' })], /^developersUrl is missing\. With delivery "claim-link" /],
    [[emails({ mailer }), registration({ operators: [OPERATOR] })], /^developersUrl .*\. With operators, e-/],
    [[emails({ mailer }), portal()], /^developersUrl is missing\. The portal is at \{developersUrl\}\/applications/],
  ] as readonly (readonly [unknown, RegExp])[])('that needs developersUrl names it: %j', (features, message) => {
    expect(messageOfRefusal(features, { developersUrl: undefined })).toMatch(message)
  })

  it.each([
    [emails({ mailer, remindBefore: [] })],
    [emails({ mailer, remindBefore: [1, 30, 1], delivery: undefined, compose: undefined })],
    [usage(undefined)],
    [usage({})],
    [usage({ retention: undefined, collect: false })],
    [imports({})],
    [imports({ hmacKey: ['one', new Uint8Array(32)] })],
  ])('accepts what is right: %j', (feature) => {
    expect(() => open([feature])).not.toThrow()
  })

  it('has no option from a polluted Object.prototype', async () => {
    const names = 'delivery compose operators allow limits actions rotate retention hmacKey signIn'.split(' ')
    await whilePolluted(Object.fromEntries(names.map((name) => [name, 'x'])), () => {
      expect(() => open([emails({ mailer }), registration({}), portal({}), usage({}), imports({})])).not.toThrow()
    })
  })
})

function permute<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, at) => permute(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))
}
