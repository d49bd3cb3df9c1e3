import { once } from 'node:events'
import { request } from 'node:http'

/** What `tokens.signer` takes: the keys of the process that listens at this socket. */
export function socketSigner(socketPath) {
  async function call(method, path, signal, body) {
    const req = request({ socketPath, method, path, signal }).end(body)
    // once() rejects with an error before the answer; one after it ends the loop below.
    req.on('error', () => undefined)
    const [res] = await once(req, 'response')
    const chunks = []
    for await (const chunk of res) chunks.push(chunk)
    if (res.statusCode !== 200) throw new Error(`The signer has answered ${res.statusCode}.`)
    return Buffer.concat(chunks)
  }
  return {
    list: async ({ signal }) => JSON.parse(await call('GET', '/keys', signal)),
    sign: (kid, bytes, { signal }) => call('POST', `/keys/${kid}`, signal, bytes),
  }
}
