import { request } from 'node:http'

/** What `tokens.signer` takes: the keys of the process that listens at this socket. */
export function socketSigner(socketPath) {
  const call = (method, path, signal, body) =>
    new Promise((resolve, reject) => {
      const req = request({ socketPath, method, path, signal }, async (res) => {
        try {
          const chunks = []
          for await (const chunk of res) chunks.push(chunk)
          if (res.statusCode === 200) resolve(Buffer.concat(chunks))
          else reject(new Error(`The signer has answered ${res.statusCode}.`))
        } catch (error) {
          reject(error)
        }
      })
      req.on('error', reject).end(body)
    })
  return {
    list: async ({ signal }) => JSON.parse(await call('GET', '/keys', signal)),
    sign: (kid, bytes, { signal }) => call('POST', `/keys/${kid}`, signal, bytes),
  }
}
