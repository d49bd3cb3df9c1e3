import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAbusedPlatform, type AbusedPlatform, type Good } from './platform-process.js'

const FLOOD = fileURLToPath(new URL('flood-process.mjs', import.meta.url))
const MILLISECONDS = 2500

let platform: AbusedPlatform

beforeAll(async () => {
  platform = await startAbusedPlatform()
})
afterAll(() => platform.end())

it('a flood of wrong secrets, keys and tokens harms no honest request, not even those of the application it aims at', async () => {
  const { good } = platform.cast
  const victim = good[0]!
  const alone = await honest(good, MILLISECONDS / 2)
  expect(new Set(alone.statuses)).toEqual(new Set([200]))
  const before = await platform.holdings()

  // Its share of the machine's processors is the operating system's business, as an attacker's own machine would be.
  const attackers = fork(FLOOD, [String(platform.port), victim.clientId])
  // Everybody's failures have been counted past the limit by then, the victim's from the address that it calls from too.
  await sleep(700)
  const amid = await honest(good, MILLISECONDS)
  attackers.send('how')
  const [hostile] = (await once(attackers, 'message')) as [Record<string, number>]
  attackers.disconnect()
  await once(attackers, 'exit')
  const after = await platform.holdings()

  const total = Object.values(hostile).reduce((sum, count) => sum + count, 0)
  const kilobytes = Math.round((after.heapUsed - before.heapUsed) / 1000)
  process.stdout.write(
    `Flood: ${total} hostile requests ${JSON.stringify(hostile)}; honest alone ${alone.statuses.length}, p99 ${alone.p99.toFixed(1)} ms, ` +
      `amid ${amid.statuses.length}, p99 ${amid.p99.toFixed(1)} ms; heap +${kilobytes} kB\n`,
  )
  expect(Object.keys(hostile).toSorted()).toEqual(['401', '429'])
  expect(total).toBeGreaterThan(500)
  expect(amid.statuses.length).toBeGreaterThan(20)
  expect(new Set(amid.statuses)).toEqual(new Set([200]))
  expect(amid.p99).toBeLessThan(3000)
  expect(after.heapUsed - before.heapUsed).toBeLessThan(60_000_000)
  expect(after.complaints).toEqual([])

  // Who guesses stays out, and is told when to come again.
  const wrong = await token({ ...victim, clientSecret: `${victim.clientSecret}x` })
  expect(wrong.status).toBe(429)
  expect((await token(victim)).status).toBe(200)
})

/** What honest clients do all the time, the attacked one first of all, from the flood's own address. */
async function honest(good: readonly Good[], milliseconds: number): Promise<{ statuses: number[]; p99: number }> {
  const until = performance.now() + milliseconds
  const statuses: number[] = []
  const latencies: number[] = []
  const agent = new Agent({ keepAlive: true })
  async function timed(work: Promise<{ status: number; text: string }>): Promise<string> {
    const since = performance.now()
    const { status, text } = await work
    latencies.push(performance.now() - since)
    statuses.push(status)
    return text
  }
  await Promise.all(
    [good[0]!, ...good].map(async (each) => {
      while (performance.now() < until) {
        const { access_token: accessToken } = JSON.parse(await timed(token(each, agent))) as { access_token: string }
        const headers = { Authorization: `Bearer ${accessToken}` }
        const guarded = await timed(send({ path: '/orders/items', headers, agent }))
        const byKey = await timed(send({ path: '/catalog/items', headers: { 'X-Api-Key': each.clientId }, agent }))
        for (const text of [guarded, byKey]) expect(JSON.parse(text)).toMatchObject({ application: each.id })
      }
    }),
  )
  agent.destroy()
  latencies.sort((a, b) => a - b)
  return { statuses, p99: latencies[Math.floor(latencies.length * 0.99)]! }
}

function token({ clientId, clientSecret }: Good, agent?: Agent): Promise<{ status: number; text: string }> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const options = { path: '/orders/token', method: 'POST', headers, ...(agent && { agent }) }
  return send(options, new URLSearchParams(form).toString())
}

function send(options: object, body = ''): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: platform.port, ...options }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => void (text += piece))
      answer.on('end', () => resolve({ status: answer.statusCode!, text }))
    })
      .on('error', reject)
      .end(body)
  })
}
