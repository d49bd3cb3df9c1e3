import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Exchange {
  readonly method: string
  readonly url: string
  /** The access token or API key in the header. */
  readonly credential: string | undefined
  readonly sent: string
  readonly headers: Headers
  status: number
  body: string
}

export type ChangeAnswer = (exchange: Exchange) => void

interface ProxyOptions {
  /** The port of the server behind it. */
  readonly to: number
  /** What is removed from the paths of requests. */
  readonly strip?: () => string
  readonly changeAnswer?: ChangeAnswer
}

/** A proxy that may strip a path from requests, and change answers. */
export function createProxy({ to, strip = () => '', changeAnswer }: ProxyOptions): Server {
  return createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const sent = Buffer.concat(chunks).toString()
      const { method = '', url = '', headers } = req
      const passed = Object.entries(headers).filter(
        ([name]) => !/^(?:host|connection|content-length|keep-alive)$/.test(name),
      )
      const answer = await fetch(`http://localhost:${to}${url.replace(strip(), '')}`, {
        method,
        headers: passed as [string, string][],
        body: sent === '' ? null : sent,
      })
      const exchange: Exchange = {
        method,
        url,
        sent,
        headers: answer.headers,
        status: answer.status,
        body: await answer.text(),
        credential: headers.authorization ?? String(headers['x-api-key'] ?? ''),
      }
      const kept = new Headers(exchange.headers)
      changeAnswer?.(Object.assign(exchange, { headers: kept }))
      for (const name of ['content-length', 'connection', 'keep-alive', 'transfer-encoding']) kept.delete(name)
      res.writeHead(exchange.status, Object.fromEntries(kept)).end(exchange.body)
    })().catch(() => res.destroy())
  })
}

/** Listens until the test ends; resolves the base URL. */
export function listenBriefly(server: Server): Promise<string> {
  onTestFinished(() => server.close().closeAllConnections())
  return listen(server)
}

/** Resolves the base URL. */
export async function listen(server: Server): Promise<string> {
  server.listen(0)
  await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
