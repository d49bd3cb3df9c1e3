import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { CONNECTIONS, requestOf } from './load.mjs'
import { quantile } from './statistics.mjs'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * Keep-alive connections for turns far shorter than wrk's. On a shared machine, slow phases last about a second; short
 * interleaved turns spread them over all contenders.
 */
export async function converse({ server, traffic, file, statuses, offset }) {
  const requests = requestsOf(traffic, file)
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => opened(server.port)))
  let next = offset

  /** Sends `count` requests, each when one has been answered; reports like `load`. */
  async function turn(count) {
    const began = performance.now()
    let left = count
    const times = []
    await Promise.all(sockets.map(talk))
    const seconds = (performance.now() - began) / 1000
    return {
      requests: count,
      refused: statuses[0] < 400 ? 0 : count,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      seconds,
    }

    async function talk(socket) {
      while (left > 0) {
        left -= 1
        const sent = performance.now()
        socket.write(requests[next++ % requests.length])
        const answer = await read(socket)
        times.push(performance.now() - sent)
        if (!statuses.includes(Number(answer.slice(9, 12)))) throw new Error(`Not ${statuses.join(' or ')}: ${answer}`)
      }
    }
  }

  return { turn, close: () => sockets.forEach((socket) => socket.destroy()) }
}

async function opened(port) {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  await once(socket, 'connect')
  return socket
}

/** Where the next answer begins, once the current one is complete. */
function read(socket) {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    socket.on('data', take).once('close', broke)

    function take(chunk) {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      if (isWhole(bytes)) finish(resolve, bytes.toString('latin1', 0, 200))
    }
    function broke() {
      finish(reject, new Error(`A connection was closed: ${bytes.toString()}`))
    }
    function finish(settle, value) {
      socket.off('data', take).off('close', broke)
      settle(value)
    }
  })
}

function isWhole(bytes) {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
  const body = bytes.subarray(end + HEAD_END.length)
  return length === undefined ? body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : body.length >= Number(length)
}

/** All requests of the traffic as bytes. */
function requestsOf(traffic, file) {
  const lines = file === undefined ? [''] : readFileSync(file, 'utf8').split('\n')
  return lines.map((line) => {
    const { method, path, headers, body } = requestOf(traffic, line)
    const length = body && { 'Content-Length': Buffer.byteLength(body) }
    const head = Object.entries({ Host: 'localhost', ...headers, ...length }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`)
  })
}
