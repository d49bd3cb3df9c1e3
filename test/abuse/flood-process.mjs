/**
 * A flood from another process: `node flood-process.mjs <port> <key of the attacked application>`. Sends wrong secrets, wrong
 * keys and malformed tokens as fast as they are answered, from several loopback addresses (127.0.0.x), and for addresses
 * behind a proxy. Sends a message at the first 429 for 127.0.0.1, and the number of answers by status when it gets one.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

const [port = '', victim = ''] = process.argv.slice(2)
const CONNECTIONS = 24
/** @type {Record<string, number>} */
const statuses = {}
let number = 0
let isRefused = false

for (let i = 0; i < CONNECTIONS; i++) flood(i)
process.on('message', () => process.send?.(statuses))
process.on('disconnect', () => process.exit())

/** @param {number} index */
function flood(index) {
  const localAddress = index % 3 === 0 ? '127.0.0.1' : `127.0.0.${2 + index}`
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress, noDelay: true })
  let text = ''
  socket.on('error', () => undefined).on('close', () => flood(index))
  socket.setEncoding('latin1').on('data', (piece) => {
    text += piece
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (end < 0 || text.length < end + 4 + length) return
      const status = text.slice(9, 12)
      if (status === '429' && index % 3 === 0 && !isRefused) {
        isRefused = true
        process.send?.('refused')
      }
      statuses[status] = (statuses[status] ?? 0) + 1
      text = text.slice(end + 4 + length)
      socket.write(attack(index))
    }
  })
  socket.write(attack(index))
}

/** @param {number} index */
function attack(index) {
  // A third of the connections act as a proxy of many clients.
  const forwarded = index % 3 === 2 ? `X-Forwarded-For: 10.${number & 255}.${(number >> 8) & 255}.7\r\n` : ''
  const head = `Host: localhost\r\n${forwarded}`
  const which = number++ % 8
  if (which === 6)
    return `GET /orders/items HTTP/1.1\r\n${head}Authorization: Bearer ${randomBytes(150).toString('base64url')}\r\n\r\n`
  if (which === 7)
    return `GET /catalog/items HTTP/1.1\r\n${head}X-Api-Key: ${victim.slice(0, -1)}${number % 10}_\r\n\r\n`
  // Mostly the key of the attacked application, sometimes an unknown one.
  const id = which < 4 ? victim : `epa_key_${randomBytes(17).toString('hex')}`
  const body = `grant_type=client_credentials&client_id=${id}&client_secret=epa_sec_${randomBytes(24).toString('hex')}`
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n'
  return `POST /orders/token HTTP/1.1\r\n${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`
}
