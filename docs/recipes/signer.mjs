import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const [socketPath, folder] = process.argv.slice(2)
const kids = () => readdirSync(folder).flatMap((name) => name.match(/^(\w[\w.~-]{0,63})\.pem$/)?.[1] ?? [])
const open = (kid) => createPrivateKey(readFileSync(join(folder, `${kid}.pem`)))

/** The file that comes last by its name is listed first, so it signs. */
const list = () =>
  kids()
    .toSorted()
    .toReversed()
    .map((kid) => ({ kid, algorithm: 'ES256', publicJwk: createPublicKey(open(kid)).export({ format: 'jwk' }) }))

async function answer(req, res) {
  const kid = req.url.slice('/keys/'.length)
  if (req.method === 'GET' && req.url === '/keys') res.end(JSON.stringify(list()))
  else if (req.method === 'POST' && kids().includes(kid)) {
    const chunks = []
    for await (const chunk of req) chunks.push(chunk)
    res.end(sign('sha256', Buffer.concat(chunks), { key: open(kid), dsaEncoding: 'ieee-p1363' }))
  } else res.writeHead(404).end()
}

rmSync(socketPath, { force: true })
process.umask(0o117) // the socket is for the user and the group of this process
createServer((req, res) => {
  answer(req, res).catch((error) => {
    console.error(error)
    res.destroy()
  })
}).listen(socketPath, () => console.log(`Signing at ${socketPath}`))
