// Types of packages that have none: only what the tests use.
declare module 'body-parser1' {
  import type express from 'express'
  const bodyParser: Pick<typeof express, 'json' | 'urlencoded' | 'text' | 'raw'>
  export default bodyParser
}

declare module 'body-parser2' {
  import type express from 'express'
  const bodyParser: Pick<typeof express, 'json' | 'urlencoded' | 'text' | 'raw'>
  export default bodyParser
}

declare module 'simple-oauth2' {
  interface Options {
    readonly client: { readonly id: string; readonly secret: string }
    readonly auth: { readonly tokenHost: string; readonly tokenPath: string }
    readonly options?: {
      readonly authorizationMethod?: 'header' | 'body'
      readonly credentialsEncodingMode?: 'strict' | 'loose'
    }
  }
  export class ClientCredentials {
    constructor(options: Options)
    getToken(parameters: { readonly scope?: string | readonly string[] }): Promise<{
      readonly token: { readonly access_token: string; readonly token_type: string; readonly expires_at: Date }
      expired(): boolean
    }>
  }
}

declare module 'ioredis-mock' {
  export { Redis as default } from 'ioredis'
}

declare module 'express4-16' {
  import express from 'express'
  export default express
}

declare module 'morgan' {
  import type { RequestHandler } from 'express'
  function morgan(format: string, options?: { readonly stream: { write(line: string): void } }): RequestHandler
  namespace morgan {
    /** Also a member of `morgan` under its name. */
    function token(name: string, read: () => string): unknown
  }
  export default morgan
}

declare module 'cors' {
  import type { RequestHandler } from 'express'
  export default function cors(options?: object): RequestHandler
}

declare module 'json-server' {
  import type { RequestHandler, Router } from 'express'
  const jsonServer: { defaults(options: { readonly logger: boolean }): RequestHandler[]; router(data: object): Router }
  export default jsonServer
}

declare module 'oauth2-mock-server' {
  import type { RequestListener } from 'node:http'
  export class OAuth2Server {
    readonly service: { readonly requestHandler: RequestListener }
    readonly issuer: { readonly keys: { generate(algorithm: string): Promise<unknown> }; url: string }
  }
}

declare module 'peer' {
  import type { Server } from 'node:http'
  import type { RequestHandler } from 'express'
  export function ExpressPeerServer(server: Server, options: object): RequestHandler
}

declare module '@bull-board/api' {
  export function createBullBoard(options: {
    readonly queues: readonly object[]
    readonly serverAdapter: object
  }): unknown
}

declare module '@bull-board/express' {
  import type { RequestHandler } from 'express'
  export class ExpressAdapter {
    setBasePath(path: string): this
    getRouter(): RequestHandler
  }
}

declare module 'bunyan' {
  import type { Writable } from 'node:stream'
  import type { Logger } from 'express-platform-auth'
  export function createLogger(options: {
    readonly name: string
    readonly streams: readonly { readonly stream: Writable }[]
  }): Logger & { level(name: string): void }
  const bunyan: { readonly createLogger: typeof createLogger }
  export default bunyan
}

declare module 'pg8-0' {
  export { Pool } from 'pg'
}

declare module 'compression' {
  import type { RequestHandler } from 'express'
  export default function compression(options: { readonly threshold: number }): RequestHandler
}

declare module 'express-session' {
  import type { RequestHandler } from 'express'
  export default function session(options: object): RequestHandler
}

declare module 'linkify-it' {
  interface Rule {
    readonly validate: (text: string, at: number) => number
  }
  export default class LinkifyIt {
    constructor(schemas?: undefined, options?: Record<'fuzzyLink' | 'fuzzyEmail' | 'fuzzyIP', boolean>)
    tlds(domains: readonly string[]): this
    add(scheme: string, rule: Rule): this
    match(text: string): readonly { readonly raw: string }[] | null
  }
}

declare module 'express-ws' {
  import type { IncomingMessage } from 'node:http'
  import type { WebSocket } from 'ws'
  type Handler = (socket: WebSocket, req: IncomingMessage, next: (error?: unknown) => void) => void
  export default function expressWs(app: unknown): { readonly app: { ws(path: string, ...handlers: Handler[]): void } }
}
