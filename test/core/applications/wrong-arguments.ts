/** An argument of a call as it should be: a value, or the id of something that the test has made. */
export type Argument = unknown

interface Parameter {
  /** A right argument. */
  readonly right: Argument
  readonly wrong: readonly (readonly [description: string, value: unknown])[]
  /** Whether the call resolves undefined for the wrong ones. */
  readonly resolves?: boolean
  /** Whether it has members, of which unknown ones are refused. */
  readonly isOptions?: true
}

const OTHER_KINDS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 42],
  ['NaN', Number.NaN],
  ['0', 0],
  ['true', true],
  ['a bigint', 10n],
  ['a list', ['app_1']],
  ['an empty list', []],
  ['a symbol', Symbol('id')],
  ['a function', () => 'app_1'],
]
const OBJECTS: readonly (readonly [string, unknown])[] = [
  ['an object', { id: 'app_1' }],
  ['an object without prototype', Object.create(null)],
  ['a date', new Date()],
]
const WITH_NUL = ['text with U+0000', 'app_\0'] as const

/** An id. Left out, or of a type that has none, is as wrong as unknown. */
function id(known: string): Parameter {
  return { right: { known }, wrong: [['undefined', undefined], WITH_NUL, ...OTHER_KINDS, ...OBJECTS] }
}

const application = id('application')
const credential = id('credential')
const optionalId: Parameter = { right: undefined, wrong: [WITH_NUL, ...OTHER_KINDS, ...OBJECTS] }

/** Options of which these members are text, and these true or false. */
function options({
  texts = ['by'],
  flags = [],
  right,
}: { texts?: string[]; flags?: string[]; right?: object } = {}): Parameter {
  const members = (names: readonly string[], wrong: Parameter['wrong']): Parameter['wrong'] =>
    names.flatMap((name) => wrong.map(([kind, value]) => [`${name}: ${kind}`, { ...right, [name]: value }] as const))
  return {
    right,
    isOptions: true,
    wrong: [
      ...(right ? [['undefined', undefined] as const] : []),
      ['text', 'alice'],
      ...OTHER_KINDS,
      ...members(texts, [WITH_NUL, ...OTHER_KINDS, ...OBJECTS]),
      ...members(flags, [['text', 'true'], ...OTHER_KINDS.filter(([kind]) => kind !== 'true'), ...OBJECTS]),
    ],
  }
}

const address: Parameter = {
  right: 'b@example.com',
  wrong: [['undefined', undefined], WITH_NUL, ...OTHER_KINDS, ...OBJECTS],
}
const apiName: Parameter = { right: 'orders', wrong: [['undefined', undefined], WITH_NUL, ...OTHER_KINDS, ...OBJECTS] }
const APPLICATION = { name: 'Shop', contact: 'a@example.com', apis: ['orders'] }
const given = ['by', 'name', 'contact', 'language']

/** Every call that a host makes with data of its own, and its parameters. */
export const CALLS: Readonly<Record<string, readonly Parameter[]>> = {
  'applications.get': [{ ...application, resolves: true }],
  'applications.list': [
    options({ texts: ['after', 'api', 'status', 'externalId', 'name', 'contact', 'credential', 'plan'] }),
  ],
  'registration.register': [options({ texts: given, right: APPLICATION })],
  'applications.create': [options({ texts: given, right: APPLICATION })],
  'imports.run': [
    {
      right: [],
      wrong: [
        ['undefined', undefined],
        ['text', 'a line'],
        ...OTHER_KINDS.filter(([kind]) => !kind.includes('list')),
        ...OBJECTS,
      ],
    },
    options({ flags: ['confirm'] }),
  ],
  'applications.approve': [application, options({ texts: ['by', 'api'] })],
  'applications.deny': [application, options({ texts: ['by', 'api', 'reason'] })],
  'applications.update': [application, options({ texts: ['by', 'name', 'contact', 'language'], right: {} })],
  'applications.suspend': [application, options({ texts: ['by', 'reason'], flags: ['revokeTokens', 'notify'] })],
  'applications.resume': [application, options()],
  'applications.delete': [application, options()],
  'applications.revokeTokens': [application, options()],
  'applications.allow': [application, apiName, options()],
  'applications.disallow': [application, apiName, options()],
  'registration.requestAccess': [application, options({ texts: ['by', 'api'], right: { api: 'orders' } })],
  'applications.addContact': [application, address, options()],
  'applications.removeContact': [application, address, options()],
  'portal.invite': [application, address, options()],
  'applications.cancelInvitation': [application, address, options()],
  'applications.addKey': [application, options({ texts: ['by', 'name'], right: { name: 'nightly' } })],
  'applications.addKeySet': [
    application,
    options({ texts: ['by', 'name'], right: { name: 'nightly', jwksUri: 'https://partner.example/jwks.json' } }),
  ],
  'applications.replaceKeySet': [
    application,
    credential,
    options({ texts: ['by'], right: { jwksUri: 'https://partner.example/jwks.json' } }),
  ],
  'applications.reloadKeySet': [application, credential, options()],
  'applications.addSecret': [application, options({ texts: ['by', 'name'], right: { name: 'nightly' } })],
  'applications.updateCredential': [application, credential, options({ texts: ['by', 'name'], right: {} })],
  'applications.endCredential': [application, credential, options({ flags: ['revokeTokens'] })],
  'applications.rotateKey': [application, options({ texts: ['by', 'credential', 'deliver'], flags: ['revokeTokens'] })],
  'applications.rotateSecret': [
    application,
    options({ texts: ['by', 'credential', 'deliver'], flags: ['revokeTokens'] }),
  ],
  'applications.recover': [
    application,
    options({ texts: ['by', 'contact', 'deliver'], right: { contact: 'a@example.com' } }),
  ],
  'audit.list': [options({ texts: ['after', 'applicationId', 'type', 'by', 'order'] })],
  'usage.list': [options({ texts: ['after', 'applicationId', 'api', 'by'] })],
  'usage.routes': [options({ texts: ['after', 'applicationId', 'api', 'by'] })],
  'usage.overall': [options({ texts: ['after', 'api', 'by'] })],
  'usage.overallRoutes': [options({ texts: ['after', 'api', 'by'] })],
  'usage.refusals': [application],
  'usage.totals': [options({ texts: ['after', 'period', 'sort'] })],
  'usage.reportOnly': [options({ texts: ['after', 'applicationId', 'api'] })],
  'emails.list': [options({ texts: ['applicationId', 'after'] })],
  'emails.retry': [optionalId],
  'emails.cancel': [application, options()],
  'signingKeys.rotate': [options({ flags: ['immediately'] })],
  'signingKeys.revoke': [id('signingKey'), options()],
  'sessionSecret.replace': [options()],
  'portal.link': [options({ texts: ['contact', 'applicationId'], right: {} })],
  'portal.signOut': [address],
  verifyAccessToken: [apiName, address],
  verifyApiKey: [{ ...apiName, right: 'catalog' }, address],
  ready: [options({ texts: [], flags: ['retry'] })],
}

interface WrongCall {
  readonly args: readonly Argument[]
  readonly described: string
  readonly resolves: boolean
}

/** The call with each wrong argument at each place, and right ones at the others. */
export function listWrongCalls(parameters: readonly Parameter[]): readonly WrongCall[] {
  return parameters.flatMap(({ wrong, resolves = false }, place) =>
    wrong.map(([kind, value]) => ({
      args: parameters.map(({ right }, i) => (i === place ? value : right)),
      described: `argument ${place + 1}: ${kind}`,
      resolves,
    })),
  )
}
