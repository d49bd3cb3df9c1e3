import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { IssuedCredentials, SigningOptions } from '../../src/index.js'

/** A platform of a fleet's process. */
export interface PlatformPlan {
  readonly store:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly url: string; readonly listen: boolean }
  /** How many of them, each with a store of its own; the first is asked over HTTP. */
  readonly count?: number
  readonly signing?: SigningOptions
  readonly maxStaleness?: number
}

/** What a process is asked by message; with `at`, an instant, all its platforms of that name do it then. */
export interface Order {
  readonly id: number
  readonly platform: string
  readonly part: 'applications' | 'signingKeys' | 'platform'
  readonly call: string
  readonly args: readonly unknown[]
  readonly at?: number
}

/** What came of an order, and when (milliseconds since 1970, with a fraction). */
interface Done {
  readonly values: readonly unknown[]
  readonly at: number
}

/** A platform in a process of the fleet, as operators and applications' programs reach it. */
export interface Member {
  readonly name: string
  readonly address: string
  operate<T>(part: Order['part'], call: string, ...args: readonly unknown[]): Promise<{ value: T; at: number }>
  /** All platforms of that name in that process do it at an instant. */
  operateAll(at: number, part: Order['part'], call: string, ...args: readonly unknown[]): Promise<readonly unknown[]>
  /** The status that a route answers with. */
  bearer(token: string, path?: string): Promise<number>
  key(key: string): Promise<number>
  token(credentials: Partial<IssuedCredentials>): Promise<{ status: number; accessToken: string | undefined }>
  revoke(credentials: Partial<IssuedCredentials>, accessToken: string): Promise<number>
  /** Of the published key set. */
  kids(): Promise<readonly string[]>
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** Some processes, each with the platforms that its plans name. */
export interface Fleet<Name extends string = string> {
  readonly processes: readonly Readonly<Record<Name, Member>>[]
  /** The platforms of that name, one of each process. */
  members(name: Name): readonly Member[]
  stop(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('fleet-process.mjs', import.meta.url))

export async function startFleet<Name extends string>(
  plans: readonly Record<Name, PlatformPlan>[],
): Promise<Fleet<Name>> {
  const started = await Promise.all(plans.map((plan, i) => startProcess(plan, `process ${i}`)))
  return {
    processes: started.map(({ members }) => members),
    members: (name) => started.map(({ members }) => members[name]),
    async stop() {
      await Promise.all(started.map(({ end }) => end()))
    },
  }
}

async function startProcess<Name extends string>(plan: Record<Name, PlatformPlan>, name: string) {
  const child = fork(PROGRAM, [JSON.stringify(plan)], { execArgv: [] })
  const exited = once(child, 'exit')
  const [first] = (await Promise.race([once(child, 'message'), exited])) as [{ ports: Record<Name, number> } | number]
  if (typeof first !== 'object') throw new Error(`A process of the fleet ended with ${first}.`)
  const order = orders(child)
  const members = Object.entries<number>(first.ports).map(([platform, port]) => [
    platform,
    memberAt(`http://127.0.0.1:${port}`, `${platform} in ${name}`, (asked) => order({ ...asked, platform })),
  ])
  return {
    members: Object.fromEntries(members) as Record<Name, Member>,
    async end() {
      child.disconnect()
      await exited
    },
  }
}

type Ask = (order: Omit<Order, 'id'>) => Promise<Done>

function orders(child: ChildProcess): Ask {
  const waiting = new Map<number, (answer: Done & { problem?: string }) => void>()
  let last = 0
  child.on('message', (answer: Done & { id: number; problem?: string }) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  return async function order(asked) {
    const id = (last += 1)
    const answered = new Promise<Done & { problem?: string }>((resolve) => waiting.set(id, resolve))
    child.send({ ...asked, id })
    const answer = await answered
    if (answer.problem !== undefined) throw new Error(answer.problem)
    return answer
  }
}

function memberAt(
  address: string,
  name: string,
  order: (asked: Omit<Order, 'id' | 'platform'>) => Promise<Done>,
): Member {
  const ask = (path: string, init?: RequestInit): Promise<Response> => fetch(address + path, init)

  async function statusOf(asked: Promise<Response>): Promise<number> {
    const response = await asked
    await response.arrayBuffer()
    return response.status
  }

  function post(path: string, { clientId = '', clientSecret = '' }: Partial<IssuedCredentials>, more: object) {
    const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...more })
    return ask(path, { method: 'POST', body })
  }

  return {
    name,
    address,
    ask,
    async operate<T>(part: Order['part'], call: string, ...args: readonly unknown[]) {
      const { values, at } = await order({ part, call, args })
      return { value: values[0] as T, at }
    },
    operateAll: async (at, part, call, ...args) => (await order({ part, call, args, at })).values,
    bearer: (token, path = '/orders/items') => statusOf(ask(path, { headers: { Authorization: `Bearer ${token}` } })),
    key: (key) => statusOf(ask('/catalog/items', { headers: { 'X-Api-Key': key } })),
    async token(credentials) {
      const response = await post('/orders/token', credentials, { grant_type: 'client_credentials' })
      const { access_token: accessToken } = (await response.json()) as { access_token?: string }
      return { status: response.status, accessToken }
    },
    revoke: (credentials, token) => statusOf(post('/orders/revoke', credentials, { token })),
    async kids() {
      const { keys = [] } = (await (await ask('/.well-known/jwks.json')).json()) as { keys?: { kid: string }[] }
      return keys.map(({ kid }) => kid)
    },
  }
}
