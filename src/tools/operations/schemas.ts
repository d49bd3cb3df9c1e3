import * as z from 'zod/mini'
import type { ZodDefinition } from './operation.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'

export const optional = z.optional

export const text = (description?: string) => describe(z.string(), description)

function describe<Schema extends z.ZodMiniType>(schema: Schema, description: string | undefined): Schema {
  return description === undefined ? schema : schema.check(z.describe(description))
}

export const flag = (description: string) => z.boolean().check(z.describe(description))

export function count(description: string, minimum = 0, maximum?: number) {
  const rules = [z.gte(minimum), ...(maximum === undefined ? [] : [z.lte(maximum)])]
  return z.int().check(z.describe(description), ...rules)
}

export const list = (description: string) => z.array(z.string()).check(z.describe(description))

export function choice<const Values extends readonly string[]>(values: Values, description: string) {
  return z.enum(values).check(z.describe(description))
}

/** Text in JSON, a `Date` in the call. */
export function time(description: string) {
  return z
    .codec(z.iso.datetime({ offset: true }), z.date(), {
      decode: (given) => new Date(given),
      encode: (date) => date.toISOString(),
    })
    .check(z.describe(description))
}

export const timestamp = (description?: string) => describe(z.iso.datetime(), description)

const LIMIT = { limit: z.int().check(z.gte(1)), window: z.int().check(z.gte(1)) }

export const id = ['id', text('The id of the application.')] as const
export const api = ['api', text('The name of the API.')] as const
export const address = ['address', text('The e-mail address.')] as const

export const name = text('The name that people read: 1 to 100 characters.')
export const contact = text("Its developer's e-mail address.")
export const language = choice(['en', 'de', 'fr', 'es'], 'The language of its e-mails; en if left out.')
export const externalId = text('Your own id of it, such as a customer number. No two applications have the same one.')
/** The call reads it, with the platform's schema for it. */
export const metadata = z
  .custom<object>(() => true)
  .check(z.meta({ type: 'object', description: 'Your own data on it: a JSON object.' }))
export const networks = list('The networks from which it may be used, such as 203.0.113.0/24; any if there are none.')
export const scopes = list('The scopes; all that the API has now, if left out.')
const until = time('When it ends; never if left out.')
export const limit = z
  .strictObject({ ...LIMIT, until: optional(until) })
  .check(z.describe("Requests and seconds, in place of the API's own limit; null for the API's own."))
export const revokeTokens = flag('Its access tokens stay refused for ever.')

/** APIs, each with all scopes that it has now; or with the scopes there. */
export function grants(description: string) {
  return z
    .union([z.array(z.string()), z.record(z.string(), z.strictObject({ scopes: optional(z.array(z.string())) }))])
    .check(z.describe(description))
}

export const page = {
  after: optional(text('The `next` of the page before.')),
  limit: optional(count('The size of a page; the default is 100.', 1, 1000)),
}

export function pageOf<Item extends z.ZodMiniType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next: optional(text('The `after` of the next page; left out on the last one.')),
  })
}

/** A member of an output that only those see who may read applications: names, addresses of people, and the provider's own data. */
export function guarded<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  return schema.check(z.meta({ [GUARD]: 'applications:read' }))
}
const GUARD = 'x-scope'

/** An actor of the audit log: those who may not read applications get `contact` in place of a contact with the address. */
export const actor = text('A contact is `contact:` and the address; `contact` for who may not read applications.')

export function hideContact(by: string | undefined): string | undefined {
  return by?.replace(/^contact:.*/s, 'contact')
}

export function leaveOutGuarded(schema: z.ZodMiniType, value: unknown): unknown {
  const { innerType, shape, element } = ownMembers(schema.def as ZodDefinition)
  if (innerType) return leaveOutGuarded(innerType, value)
  if (schema === actor) return hideContact(value as string)
  if (element && Array.isArray(value)) return value.map((each) => leaveOutGuarded(element, each))
  if (!shape || !isObject(value)) return value
  const seen = Object.entries(value).filter(([name]) => !Object.hasOwn(z.globalRegistry.get(shape[name]!) ?? {}, GUARD))
  return Object.fromEntries(seen.map(([name, member]) => [name, leaveOutGuarded(shape[name]!, member)]))
}

const granted = z.record(z.string(), z.strictObject({ scopes: z.array(z.string()) }))

const PUBLIC_JWK = z.strictObject({
  kty: z.enum(['EC', 'OKP', 'RSA']),
  kid: optional(text()),
  alg: optional(text()),
  crv: optional(text()),
  x: optional(text()),
  y: optional(text()),
  n: optional(text()),
  e: optional(text()),
})

/** The call reads it. */
const jwks = z
  .custom<object>(() => true)
  .check(z.meta({ type: 'object', description: 'Its public keys: a JWK Set (RFC 7517) of 1 to 10.' }))
export const keySetSource = {
  jwks: optional(jwks),
  jwksUri: optional(text('The https address that serves its JWK Set, in place of jwks.')),
}

export const CREDENTIAL = z
  .strictObject({
    id: text('`cred_...`, which stays the same when the credential is changed.'),
    name: text('What it is for; `default` for the first ones.'),
    prefix: text('The first characters of the key or secret.'),
    createdAt: timestamp(),
    expiresAt: optional(timestamp('Left out while it does not expire.')),
    lastUsedAt: optional(timestamp('Left out while it was never used.')),
    apis: optional(granted.check(z.describe('What it is restricted to; left out if it is not restricted.'))),
    networks: optional(z.array(z.string())),
    keySet: optional(
      z
        .union([
          z.strictObject({ keys: z.array(PUBLIC_JWK) }),
          z.strictObject({
            jwksUri: text(),
            unreadableSince: optional(timestamp('Left out while the address can be read.')),
          }),
        ])
        .check(
          z.describe('The public keys, or the address that serves them, of a key set, which is one of the secrets.'),
        ),
    ),
  })
  .check(z.meta({ id: 'Credential', description: 'A live key, secret or key set, without its plain text.' }))

export const APPLICATION = z
  .strictObject({
    id: text(),
    name: guarded(text()),
    contact: guarded(optional(text('The first contact, which gets the e-mails.'))),
    contacts: guarded(z.array(z.string())),
    invitations: guarded(
      z.array(
        z.strictObject({ address: text(), createdAt: timestamp(), expiresAt: timestamp(), by: optional(text()) }),
      ),
    ),
    language: optional(z.enum(['en', 'de', 'fr', 'es'])),
    status: z.enum(['pending', 'active', 'suspended', 'deleted']),
    apis: granted.check(z.describe('The APIs that it may use, with the scopes there.')),
    accessRequests: z.array(
      z.strictObject({
        api: text(),
        scopes: z.array(z.string()),
        requestedAt: timestamp(),
        by: guarded(optional(text())),
      }),
    ),
    waitingSince: optional(
      timestamp(
        "Since when it waits for an operator's decision, for its registration or for access; left out if it does not.",
      ),
    ),
    rateLimits: z.record(z.string(), z.strictObject({ ...LIMIT, until: optional(timestamp()) })),
    networks: optional(z.array(z.string())),
    plan: optional(text()),
    resourceServer: optional(
      z.array(z.string()).check(z.describe('The APIs whose resource server it is; left out if it is none.')),
    ),
    acceptedTerms: optional(z.strictObject({ url: text(), version: text(), at: timestamp() })),
    externalId: guarded(optional(text())),
    metadata: guarded(optional(z.record(z.string(), z.unknown()))),
    keys: z.array(CREDENTIAL).check(z.describe('Live keys, newest first.')),
    secrets: z.array(CREDENTIAL).check(z.describe('Live secrets, newest first.')),
    lastUsedAt: optional(timestamp('When any of its credentials was last used; left out while none was.')),
    createdAt: timestamp(),
  })
  .check(z.meta({ id: 'Application', description: 'An application, without its credentials in plain text.' }))

const key = text('The key: `client_id`, and the value of `X-Api-Key`. Shown this once.')
const secret = text('Shown this once.')
export const NEW_KEY = z.strictObject({ clientId: key })
export const NEW_SECRET = z.strictObject({ clientSecret: secret })
export const NEW_CREDENTIALS = z.strictObject({ clientId: key, clientSecret: optional(secret) })
export const NEW_APPLICATION = z.strictObject({ application: APPLICATION, credentials: NEW_CREDENTIALS })

export function added<Credentials extends z.ZodMiniType>(credentials: Credentials) {
  return z.strictObject({ application: APPLICATION, credential: CREDENTIAL, credentials })
}

export function rotated<Credentials extends z.ZodMiniType>(credentials: Credentials) {
  return z.strictObject({ application: APPLICATION, credentials: optional(credentials) })
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** JSON Schema 2020-12 of a schema, whose named parts are references below `root`, and are returned in `parts`. */
export function toJsonSchema(schema: z.ZodMiniType, io: 'input' | 'output', root = '#/$defs/') {
  // Within an object, a schema that has a name is a reference too.
  const made = z.toJSONSchema(z.strictObject({ schema }), {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      // Zod's pattern of a time is 300 characters long, and the format says the same.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      // Readers must ignore members that later versions add.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.propertyNames) delete jsonSchema.propertyNames
      if (Math.abs(jsonSchema.maximum ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (Math.abs(jsonSchema.minimum ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  const text = JSON.stringify(made).replaceAll('"#/$defs/', `"${root}`)
  const { $defs = {}, properties } = JSON.parse(text, makeOptional) as {
    $defs?: Record<string, Record<string, unknown>>
    properties: { schema: JsonSchema }
  }
  const parts = Object.entries($defs).map(([name, { id: _name, ...part }]) => [name, part] as const)
  return { schema: properties.schema, parts: Object.fromEntries(parts) }
}

/** In the JSON Schema, a member that not everybody sees may be missing. */
function makeOptional(_: string, node: unknown): unknown {
  const { properties, required, ...rest } = Object(node) as { properties?: Record<string, object>; required?: string[] }
  if (!properties || !Array.isArray(required)) return node
  const needed = required.filter((name) => !Object.hasOwn(properties[name]!, GUARD))
  return { ...rest, properties, ...(needed.length > 0 && { required: needed }) }
}
