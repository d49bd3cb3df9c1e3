import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PlanOptions } from '../../src/features/plans/index.js'
import type { ApisOptions, IssuedCredentials, TokensOptions } from '../../src/index.js'

/** A platform in a process of the fleet. */
export interface PlatformPlan {
  readonly store:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly url: string; readonly listen: boolean }
  /** How many platforms, each with its own store object; the first one serves HTTP. */
  readonly count?: number
  readonly tokens?: TokensOptions
  readonly maxStaleness?: number
  readonly baseUrl?: string
  readonly apis?: ApisOptions
  /** The plans of `plans()`; without them the platform has no features. */
  readonly plans?: Readonly<Record<string, PlanOptions>>
}

/** A call that a process is asked to make by message; with `at` (milliseconds since 1970) all its platforms of that name make it then. */
export interface CallRequest {
  readonly id: number
  readonly platform: string
  readonly part: 'applications' | 'signingKeys' | 'platform'
  readonly call: string
  readonly args: readonly unknown[]
  readonly at?: number
}

/** The results of a call, and when it was done (milliseconds since 1970, with a fraction). */
interface CallResult {
  readonly values: readonly unknown[]
  readonly at: number
}

/** A platform in a process of the fleet, for operators and for clients. */
export interface Member {
  readonly name: string
  readonly address: string
  operate<T>(part: CallRequest['part'], call: string, ...args: readonly unknown[]): Promise<{ value: T; at: number }>
  /** All platforms of that name in that process make the call at that time. */
  operateAll(
    at: number,
    part: CallRequest['part'],
    call: string,
    ...args: readonly unknown[]
  ): Promise<readonly unknown[]>
  /** The status of the answer. */
  bearer(token: string, path?: string): Promise<number>
  key(key: string): Promise<number>
  token(credentials: Partial<IssuedCredentials>): Promise<{ status: number; accessToken: string | undefined }>
  revoke(credentials: Partial<IssuedCredentials>, accessToken: string): Promise<number>
  /** The kids in the published key set. */
  kids(): Promise<readonly string[]>
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** Processes with the platforms of their plans. */
export interface Fleet<Name extends string = string> {
  readonly processes: readonly Readonly<Record<Name, Member>>[]
  /** The platforms of that name, one in each process. */
  members(name: Name): readonly Member[]
  /** Ends a process with `kill -9`. */
  kill(index: number): Promise<void>
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
    kill: (index) => started[index]!.end('SIGKILL'),
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
  const sendCall = createCaller(child)
  const members = Object.entries<number>(first.ports).map(([platform, port]) => [
    platform,
    createMember(`http://127.0.0.1:${port}`, `${platform} in ${name}`, (request) => sendCall({ ...request, platform })),
  ])
  return {
    members: Object.fromEntries(members) as Record<Name, Member>,
    async end(signal?: 'SIGKILL') {
      if (signal) child.kill(signal)
      else if (child.connected) child.disconnect()
      await exited
    },
  }
}

type SendCall = (request: Omit<CallRequest, 'id'>) => Promise<CallResult>

function createCaller(child: ChildProcess): SendCall {
  const waiting = new Map<number, (answer: CallResult & { problem?: string }) => void>()
  let last = 0
  child.on('message', (answer: CallResult & { id: number; problem?: string }) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  return async function sendCall(request) {
    const id = (last += 1)
    const answered = new Promise<CallResult & { problem?: string }>((resolve) => waiting.set(id, resolve))
    child.send({ ...request, id })
    const answer = await answered
    if (answer.problem !== undefined) throw new Error(answer.problem)
    return answer
  }
}

function createMember(
  address: string,
  name: string,
  send: (request: Omit<CallRequest, 'id' | 'platform'>) => Promise<CallResult>,
): Member {
  const ask = (path: string, init?: RequestInit): Promise<Response> => fetch(address + path, init)

  async function readStatus(answer: Promise<Response>): Promise<number> {
    const response = await answer
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
    async operate<T>(part: CallRequest['part'], call: string, ...args: readonly unknown[]) {
      const { values, at } = await send({ part, call, args })
      return { value: values[0] as T, at }
    },
    operateAll: async (at, part, call, ...args) => (await send({ part, call, args, at })).values,
    bearer: (token, path = '/orders/items') => readStatus(ask(path, { headers: { Authorization: `Bearer ${token}` } })),
    key: (key) => readStatus(ask('/catalog/items', { headers: { 'X-Api-Key': key } })),
    async token(credentials) {
      const response = await post('/orders/token', credentials, { grant_type: 'client_credentials' })
      const { access_token: accessToken } = (await response.json()) as { access_token?: string }
      return { status: response.status, accessToken }
    },
    revoke: (credentials, token) => readStatus(post('/orders/revoke', credentials, { token })),
    async kids() {
      const { keys = [] } = (await (await ask('/.well-known/jwks.json')).json()) as { keys?: { kid: string }[] }
      return keys.map(({ kid }) => kid)
    },
  }
}
