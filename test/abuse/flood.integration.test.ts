import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { startAttackedPlatform, type GoodClient } from './platform-process.js'
import { timeBound } from '../support/time-bound.js'

const FLOOD = fileURLToPath(new URL('flood-process.mjs', import.meta.url))
const MILLISECONDS = 1500

const platform = await startAttackedPlatform()
afterAll(() => platform.end())

it('a flood of wrong secrets, keys and tokens does not affect honest requests, also those of the attacked application', async () => {
  const { good } = platform.credentials
  const victim = good[0]!
  const alone = await sendHonestRequests(good, MILLISECONDS / 2)
  expect(new Set(alone.statuses)).toEqual(new Set([200]))
  const before = await platform.measureResources()

  // In another process, as an attacker would be on another machine.
  const attackers = fork(FLOOD, [String(platform.port), victim.clientId])
  // From then on the failures from the address of the attacked application exceed the limit.
  await once(attackers, 'message')
  const amid = await sendHonestRequests(good, MILLISECONDS)
  attackers.send('report')
  const [hostile] = (await once(attackers, 'message')) as [Record<string, number>]
  attackers.disconnect()
  await once(attackers, 'exit')
  const after = await platform.measureResources()

  const total = Object.values(hostile).reduce((sum, count) => sum + count, 0)
  const kilobytes = Math.round((after.heapUsed - before.heapUsed) / 1000)
  process.stdout.write(
    `Flood: ${total} hostile requests ${JSON.stringify(hostile)}; honest alone ${alone.statuses.length}, p99 ${alone.p99.toFixed(1)} ms, ` +
      `amid ${amid.statuses.length}, p99 ${amid.p99.toFixed(1)} ms; heap +${kilobytes} kB\n`,
  )
  expect(Object.keys(hostile).toSorted()).toEqual(['401', '429'])
  expect(total).toBeGreaterThan(100)
  expect(amid.statuses.length).toBeGreaterThan(20)
  expect(new Set(amid.statuses)).toEqual(new Set([200]))
  expect(amid.p99).toBeLessThan(timeBound(3000))
  expect(after.heapUsed - before.heapUsed).toBeLessThan(60_000_000)
  expect(after.complaints).toEqual([])

  // Wrong secrets are refused with 429, and the right one passes.
  const wrong = await token({ ...victim, clientSecret: `${victim.clientSecret}x` })
  expect(wrong.status).toBe(429)
  expect((await token(victim)).status).toBe(200)
})

/** Sends honest requests from the address of the flood, first those of the attacked application. */
async function sendHonestRequests(
  good: readonly GoodClient[],
  milliseconds: number,
): Promise<{ statuses: number[]; p99: number }> {
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

function token({ clientId, clientSecret }: GoodClient, agent?: Agent): Promise<{ status: number; text: string }> {
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
