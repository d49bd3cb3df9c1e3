/**
 * Floods a platform from another process: `node store-flood-client.mjs <port>`. A message names the flood and its arguments.
 * Reports the number of answers by status over IPC when it is asked to, and ends with its parent.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { crc32 } from 'node:zlib'

const port = Number(process.argv[2])
/** @type {Record<string, number>} */
const statuses = {}

process.on('disconnect', () => process.exit())
process.on('message', (/** @type {{ flood?: keyof typeof floods, argument?: any }} */ { flood, argument }) => {
  if (flood) floods[flood](argument)
  else process.send?.(statuses)
})

const floods = {
  /**
   * One client sends revocations on many connections, each as soon as the last one is answered.
   * @param {{ connections: number, clientId: string, clientSecret: string, tokens: string[] }} options
   */
  revoke({ connections, clientId, clientSecret, tokens }) {
    let next = 0
    const credentials = `client_id=${clientId}&client_secret=${clientSecret}`
    for (let i = 0; i < connections; i++) {
      keepAsking(() => createPost('/orders/revoke', FORM, `${credentials}&token=${tokens[next++ % tokens.length]}`))
    }
  },

  /** Sends that many claims a second from one address, whether or not they are answered. @param {{ perSecond: number }} options */
  claim({ perSecond }) {
    const startedAt = performance.now()
    let sent = 0
    setInterval(() => {
      const due = ((performance.now() - startedAt) / 1000) * perSecond
      for (; sent < due; sent++)
        askOnce(
          createPost('/register/claim', JSON_TYPE, JSON.stringify({ token: randomBytes(32).toString('base64url') })),
        )
    }, 5)
  },

  /**
   * A new API key from a new address on each of many connections, as soon as the last one is answered: one that is looked up, or one that
   * no store is asked for.
   * @param {{ connections: number, keys: 'well-formed' | 'malformed' }} options
   */
  strangers({ connections, keys }) {
    for (let i = 0; i < connections; i++) {
      keepAsking(() => {
        const from = [10, ...randomBytes(3)].join('.')
        const key = createUnknownKey() + (keys === 'malformed' ? '!' : '')
        return `GET /catalog/items HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\nX-Api-Key: ${key}\r\n\r\n`
      })
    }
  },

  /** Sends a request with each API key at once. @param {{ keys: string[] }} options */
  keys({ keys }) {
    for (const key of keys) askOnce(`GET /catalog/items HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\n\r\n`)
  },
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A key with the form and the checksum of this platform's keys. */
function createUnknownKey() {
  const text = `epa_key_${Array.from(randomBytes(28), (byte) => LETTERS[byte % 62]).join('')}`
  let checksum = ''
  for (let rest = crc32(text), i = 0; i < 6; i++, rest = Math.floor(rest / 62))
    checksum = `${LETTERS[rest % 62]}${checksum}`
  return text + checksum
}

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

/** @param {string} path @param {string} type @param {string} body */
function createPost(path, type, body) {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** @type {import('node:net').Socket[]} */
const idle = []

/** @param {string} request */
function askOnce(request) {
  const socket = idle.pop() ?? open((one) => void idle.push(one))
  socket.write(request)
}

/** @param {() => string} createRequest */
function keepAsking(createRequest) {
  open((socket) => socket.write(createRequest())).write(createRequest())
}

/** @param {(socket: import('node:net').Socket) => void} onAnswer */
function open(onAnswer) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let text = ''
  socket.on('error', (error) => count(String(Object(error).code)))
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece
    const end = text.indexOf('\r\n\r\n')
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
    if (end < 0 || text.length < end + 4 + length) return
    count(text.slice(9, 12))
    text = ''
    onAnswer(socket)
  })
  return socket
}

/** @param {string} status */
function count(status) {
  if (Object.keys(statuses).length === 0) process.send?.('begun')
  statuses[status] = (statuses[status] ?? 0) + 1
}
