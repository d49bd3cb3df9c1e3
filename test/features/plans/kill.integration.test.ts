import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { runInProcess } from '../../tools/cli/command-line.js'
import { usePostgres } from '../../stores/postgres/databases.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { connectRedis, startRedis } from '../../support/redis.js'
import { waitUntil } from '../../support/wait-until.js'
import { COST, createSubscriber, LIMIT, openPostgres, openQuotaPlatform, openSqlite } from './quota-site.js'

const PROCESS = fileURLToPath(new URL('quota-process.mjs', import.meta.url))
const PROCESSES = IS_LONG_LANE ? 4 : 2
/** 1 % of the quota, as units. */
const UNWRITTEN = 4

const postgres = usePostgres()

const VARIANTS = [
  ['PostgreSQL and Redis', true],
  ...(IS_LONG_LANE
    ? ([
        ['PostgreSQL', false],
        ['SQLite', false],
      ] as const)
    : []),
] as const

it.each(VARIANTS)(
  'Processes on %s, one of them killed, let pass the quota, and invoice, quota and callers agree',
  async (kind, hasRedis) => {
    const { db, createStore } = kind === 'SQLite' ? await openSqlite() : openPostgres(postgres)
    const redis = hasRedis ? await startRedis() : undefined
    onTestFinished(() => redis?.end())
    const client = redis && connectRedis(redis.url)
    onTestFinished(() => client?.disconnect())
    const auth = await openQuotaPlatform(createStore(), client)
    const { id, key } = await createSubscriber(auth)

    const processes = Array.from({ length: PROCESSES }, (_, i) =>
      startProcess([db, key, `process-${i}`, ...(redis ? [redis.url] : [])]),
    )
    const [killed, ...others] = processes as [Started, ...Started[]]
    await waitUntil(() => processes.every(({ last }) => last === 'ready'))
    for (const { child } of processes) child.stdin.write('\n')
    let written = 0
    await waitUntil(async () => {
      const { items } = await auth.usage.routes({ applicationId: id })
      written = items.find(({ route }) => route === 'GET /process-0/:id')?.allowed ?? 0
      return written > 0
    })
    killed.child.kill('SIGKILL')
    await killed.exited
    await waitUntil(() => others.every(({ last }) => last === '429'))
    for (const { child } of others) child.kill('SIGTERM')
    await Promise.all(others.map(({ exited }) => exited))

    const passed = processes.reduce((sum, each) => sum + each.passed, 0)
    const invoice = await readInvoice(db, id)
    // A process that was closed has lost nothing, and the one that was killed nothing that it had written.
    others.forEach(({ passed: allowed }, i) => {
      const line = allowed === 0 ? undefined : { allowed, units: allowed * COST }
      expect(invoice.get(`GET /process-${i + 1}/:id`)).toEqual(line)
    })
    const { allowed, units } = invoice.get('GET /process-0/:id')!
    expect(allowed).toBeGreaterThanOrEqual(written)
    // The answer that was being sent by the process that was killed is counted before it arrives.
    expect(allowed).toBeLessThanOrEqual(killed.passed + 1)
    expect(units).toBe(allowed * COST)
    expect(invoice.size).toBe(processes.filter((each) => each.passed > 0).length)

    const { used } = (await auth.plans.usage(id)).quotas[0]!
    const totals = (await auth.usage.list({ applicationId: id })).items
    expect(totals).toMatchObject([{ allowed: [...invoice.values()].reduce((sum, line) => sum + line.allowed, 0) }])
    expect(used).toBeLessThanOrEqual((passed + 1) * COST)
    // Redis has what the process that was killed has not written, and what all have used, unless it was too slow for one of them.
    const isShared = redis && !processes.some(({ countsAlone }) => countsAlone)
    expect(used).toBeGreaterThanOrEqual(passed * COST - (isShared ? 0 : UNWRITTEN))
    expect(passed * COST).toBeGreaterThanOrEqual(LIMIT - COST)
    expect(passed * COST).toBeLessThanOrEqual(LIMIT + (isShared ? 0 : processes.length * UNWRITTEN))
  },
  90_000,
)

type Started = ReturnType<typeof startProcess>

function startProcess(args: readonly string[]) {
  const child = spawn(process.execPath, [PROCESS, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const state = { child, exited: once(child, 'exit'), passed: 0, last: '', countsAlone: false }
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'shared again') return
    if (line === 'counts alone') {
      state.countsAlone = true
      return
    }
    state.last = line
    if (line.startsWith('passed ')) state.passed = Number(line.slice('passed '.length))
  })
  return state
}

/** The lines of an operator's CSV, by route. */
async function readInvoice(db: string, id: string) {
  const month = new Date().toISOString().slice(0, 7)
  const command = `usage ${id} --routes --by month --from ${month} --to ${month} --format csv --db`
  const { code, stdout } = await runInProcess([...command.split(' '), db])
  expect(code).toBe(0)
  const [heading, ...lines] = stdout.trimEnd().split('\n')
  expect(heading).toBe('period,application,api,route,allowed,units,name,externalId,plan')
  return new Map(
    lines.map((line) => {
      const [, , , route = '', allowed, units] = line.split(',')
      return [route, { allowed: Number(allowed), units: Number(units) }] as const
    }),
  )
}
