import { createHmac, createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { removeHeader, setHeader, type Draft } from './draft.js'
import type { KnownCredentials, GoodClient } from './platform-process.js'
import type { Random } from './random.js'

/** Adds credentials to a draft that must be refused. */
export interface HostileCredentials {
  bearer(draft: Draft, random: Random): void
  apiKey(draft: Draft, random: Random): void
  /** For token, revocation and introspection requests. `rest` has the other parameters of the form. */
  client(draft: Draft, random: Random, rest: string): void
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64')
const PROTOTYPE = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf']

export function createHostileCredentials(known: KnownCredentials): HostileCredentials {
  const attacker = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const attackerJwk = attacker.publicKey.export({ format: 'jwk' })
  const signByAttacker = (input: string): string =>
    sign('sha256', Buffer.from(input), { key: exportPrivateKey(attacker), dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    )

  function forgeToken(random: Random, real: string): string {
    const [head = '', claims = '', signature = ''] = real.split('.')
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
    const change = random.pick<() => void>([
      () =>
        (header['alg'] = random.pick([
          'none',
          'None',
          'HS256',
          'HS512',
          'RS256',
          'ES384',
          'EdDSA',
          '',
          'dir',
          'x'.repeat(500),
        ])),
      () => (header['alg'] = random.pick<unknown>([null, 0, [], {}, ['ES256'], true])),
      () =>
        (header['kid'] = random.pick([...PROTOTYPE, '', '../../../etc/passwd', '\0', "' OR 1=1 --", 'k'.repeat(5000)])),
      () => (header['kid'] = random.pick<unknown>([null, 7, [], {}, [header['kid']], true])),
      () => (header['jwk'] = attackerJwk),
      () => (header['jku'] = 'http://127.0.0.1:9/jwks.json'),
      () => (header['x5u'] = 'http://127.0.0.1:9/chain.pem'),
      () => (header['x5c'] = ['MIIB', 'AAAA']),
      () => Object.assign(header, { crit: ['b64'], b64: false }),
      () => (header['crit'] = random.pick<unknown>([[], ['exp'], 'b64', ['__proto__'], [1], {}])),
      () => (header['typ'] = random.pick<unknown>(['JWT', 'at+JWT+x', '', null, 1, 'application/at+jwt2', {}])),
      () => Object.assign(header, { zip: 'DEF', cty: 'JWT', enc: 'A256GCM' }),
      () => (payload['sub'] = payload['client_id'] = random.pick(known.good).id),
      () => (payload['scope'] = random.pick<unknown>(['orders:read orders:write admin', [], null, 7, {}])),
      () =>
        (payload['aud'] = random.pick<unknown>([
          ['http://localhost/orders', 'x'],
          null,
          {},
          'http://localhost/catalog',
        ])),
      () => (payload['exp'] = random.pick<unknown>([9e15, '9', null, -1, 1e308, [], {}])),
      () => (payload['jti'] = random.pick<unknown>([null, '', 'A'.repeat(32), 1, {}])),
      () => Object.assign(payload, JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}')),
      () => (payload['iss'] = random.pick<unknown>(['http://evil.example', null, [payload['iss']], {}])),
    ])
    for (let i = 0; i <= random.below(3); i++) change()
    const input = `${encode(header)}.${encode(payload)}`
    // Unchanged claims would be the valid token.
    if (input === `${head}.${claims}`) return forgeToken(random, real)
    const signatureKind = random.below(5)
    if (signatureKind === 0) return `${input}.${signByAttacker(input)}`
    if (signatureKind === 1)
      return `${input}.${createHmac('sha256', JSON.stringify(attackerJwk)).update(input).digest('base64url')}`
    if (signatureKind === 2) return `${input}.`
    if (signatureKind === 3) return `${input}.${random.text(86)}`
    return `${input}.${signature}`
  }

  function alterToken(random: Random, real: string): string {
    const position = random.below(real.length)
    const parts = real.split('.')
    const [head = '', claims = '', signature = ''] = parts
    const text = random.pick<() => string>([
      () => replaceAt(real, position, random.text(1)),
      () => real.slice(0, position) + real.slice(position + 1),
      () => real.slice(0, position) + random.text(1 + random.below(4)) + real.slice(position),
      () => real.slice(0, position),
      () => real.slice(0, -1) + random.text(1),
      () => `${real}.${random.pick(parts)}`,
      () => `${head}.${claims}`,
      () => `${claims}.${head}.${signature}`,
      () => `${head}..${signature}`,
      () => `.${claims}.${signature}`,
      () => real + real,
      () => `${real}${'='.repeat(1 + random.below(3))}`,
      () => `${head}.${claims}.${signature.replaceAll('-', '+').replaceAll('_', '/')}=`,
      // A JWT nested in a JWT.
      () => `${encode({ alg: 'none', cty: 'JWT' })}.${Buffer.from(real).toString('base64url')}.`,
      () => `${encode({ alg: 'dir', enc: 'A256GCM' })}..AAAA.BBBB.CCCC`,
      () => `${Buffer.from('['.repeat(3000)).toString('base64url')}.${claims}.${signature}`,
      () => `${head}.${Buffer.from(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`).toString('base64url')}.${signature}`,
      () => '.'.repeat(1 + random.below(4000)),
      () => random.text(1 + random.below(8300)),
      () => random.text(60, 'ab.-_~+/='),
    ])()
    return text === real ? alterToken(random, real) : text
  }

  function createBadToken(random: Random): string {
    const real = random.pick(known.good).token
    const which = random.below(10)
    if (which < 4) return forgeToken(random, real)
    return which < 9 ? alterToken(random, real) : random.pick(known.deadTokens)
  }

  function createUnknownKey(random: Random): string {
    const body = `epa_key_${random.text(28)}`
    return body + checksum(body)
  }

  function createBadKey(random: Random): string {
    const good = random.pick(known.good)
    const real = good.clientId
    const text = random.pick<() => string>([
      () => replaceAt(real, random.below(real.length), random.text(1)),
      () => real.slice(0, random.below(real.length)),
      () => real + random.text(1),
      () => real.toUpperCase(),
      () => `${real}, ${real}`,
      () => `"${real}"`,
      () => `Bearer ${real}`,
      () => `${real}\xe9`,
      () => `\xff\xfe${real}`,
      () => good.clientSecret,
      () => good.token,
      () => random.pick(PROTOTYPE),
      () => createUnknownKey(random),
      () => createUnknownKey(random),
      () => random.text(1 + random.below(9000)),
      () => random.pick(known.deadKeys),
    ])()
    return text === real ? createBadKey(random) : text
  }

  /** An id and a secret that are unknown, or belong to different applications. */
  function createBadClient(random: Random): [id: string, secret: string] {
    const { clientId, clientSecret } = random.pick(known.good)
    const wrong = (): string => {
      const text = replaceAt(clientSecret, random.below(clientSecret.length), random.text(1))
      return text === clientSecret ? wrong() : text
    }
    return random.pick<() => [string, string]>([
      () => [clientId, wrong()],
      () => [clientId, wrong()],
      () => [clientId, clientSecret.slice(0, -1)],
      () => [clientId, pickOther(known.good, clientId, random).clientSecret],
      () => [clientSecret, clientId],
      () => [clientId, clientId],
      () => [createBadKey(random), clientSecret],
      () => [createUnknownKey(random), clientSecret],
      () => [random.pick(PROTOTYPE), random.pick(PROTOTYPE)],
      () => [clientId, random.text(random.below(9000) + 1)],
      () => [clientId, `${clientSecret}\0`],
      () => ["' OR '1'='1", "' OR '1'='1"],
      () => {
        const dead = random.pick(known.deadClients)
        return [dead.clientId, dead.clientSecret]
      },
    ])()
  }

  return {
    bearer(draft, random) {
      const real = random.pick(known.good).token
      const which = random.below(16)
      if (which === 0) removeHeader(draft, 'Authorization')
      else if (which === 1) {
        // Node keeps the first of them.
        const two = [`Bearer ${createBadToken(random)}`, `Bearer ${real}`]
        if (random.chance(0.5)) two.reverse()
        draft.headers.push(['authorization', two[0]!], ['AUTHORIZATION', two[1]!])
      } else if (which === 2) {
        const { clientId, clientSecret } = random.pick(known.good)
        const schemes = [
          'Bearer',
          'Bearer ',
          `Bearer\t${real}`,
          `Bearer${real}`,
          `Bearer "${real}"`,
          `Bearer ${real}, Bearer ${real}`,
          `Bearer ${real} ${real}`,
          `Bearer=${real}`,
          `Token ${real}`,
          `Digest username="${clientId}"`,
          `JWT ${real}`,
          `DPoP ${real}`,
          `Basic ${real}`,
          `Basic ${base64(`${clientId}:${clientSecret}`)}`,
          real,
          `Bearer: ${real}`,
          `Bearer ${real}\xe9`,
          `Bearer \xff${real}`,
          `Bearer ${clientId}`,
          `Bearer ${clientSecret}`,
          `Negotiate ${base64(real)}`,
          `Bearer%20${real}`,
        ]
        setHeader(draft, 'Authorization', random.pick(schemes))
      } else setHeader(draft, random.pick(['Authorization', 'authorization']), `Bearer ${createBadToken(random)}`)
    },

    apiKey(draft, random) {
      const which = random.below(12)
      const real = random.pick(known.good).clientId
      if (which === 0) removeHeader(draft, 'X-Api-Key')
      else if (which === 1) draft.headers.push(['X-API-KEY', createBadKey(random)], ['x-api-key', real])
      else if (which === 2) {
        removeHeader(draft, 'X-Api-Key')
        draft.headers.push([
          'Authorization',
          random.pick([`ApiKey ${real}`, `Bearer ${real}`, `Basic ${base64(`${real}:`)}`]),
        ])
      } else setHeader(draft, 'X-Api-Key', createBadKey(random))
    },

    client(draft, random, rest) {
      removeHeader(draft, 'Authorization')
      const [id, secret] = createBadClient(random)
      if (random.chance(0.5)) {
        draft.body = `${rest}&client_id=${escape(id)}&client_secret=${escape(secret)}`
        return
      }
      draft.body = rest
      const { clientId, clientSecret } = random.pick(known.good)
      const broken = [
        'Basic',
        'Basic ',
        'Basic !!!!',
        'Basic ====',
        `Basic ${base64(clientId + clientSecret)}`,
        `Basic ${base64(`${clientId}\0:${clientSecret}`)}`,
        `Basic ${base64('\xff\xfe:\xc3')}`,
        `Basic ${base64(`${clientId}:${clientSecret}`).slice(0, -5)}`,
        `Basic ${base64(`${clientId}:${clientSecret}`)} x`,
        `Basic ${base64(`:${clientSecret}`)}`,
        `Basic ${base64(`${clientId}:`)}`,
        `Basic ${base64(`${clientId}:%zz%`)}`,
        `Basic ${base64(':')}`,
        `Basic ${base64(`${clientId}:${clientSecret}:x`)}`,
        `Basic ${base64(random.text(7000))}`,
        `Bearer ${random.pick(known.good).token}`,
      ]
      draft.headers.push([
        'Authorization',
        random.chance(0.4) ? random.pick(broken) : `Basic ${base64(`${id}:${secret}`)}`,
      ])
    },
  }
}

function exportPrivateKey({ privateKey }: { privateKey: KeyObject }): KeyObject {
  return createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }))
}

function replaceAt(text: string, position: number, by: string): string {
  return text.slice(0, position) + by + text.slice(position + by.length)
}

function pickOther(good: readonly GoodClient[], clientId: string, random: Random): GoodClient {
  return random.pick(good.filter((each) => each.clientId !== clientId))
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The base62 CRC-32 of the characters before it (docs/applications.md). */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 6; i++) {
    digits = BASE62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Percent-encodes the characters that a form does not allow. */
function escape(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
