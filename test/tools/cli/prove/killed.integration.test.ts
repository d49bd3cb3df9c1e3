import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import express, { type Express, type RequestHandler } from 'express'
import { describe, it, type ExpectStatic } from 'vitest'
import type { PlatformAuth } from '../../../../src/index.js'
import type { ApplicationRecord } from '../../../../src/store.js'
import { sqliteStore } from '../../../../src/stores/sqlite/index.js'
import { createCaller } from '../../../support/caller.js'
import { openPlatform, SECRET } from '../../../support/platform.js'
import { waitUntil } from '../../../support/wait-until.js'
import { BIN, runInProcess } from '../command-line.js'
import { startDeployment, type Deployment } from './deployment.js'

/** Longer than anything that `prove` leaves may work. */
const LATER_MS = 2 * 3600_000
const NAME = 'Temporary application of prove'

/** Kills the process as soon as the application is stored. */
const KILLING = `
import base from './platform.mjs'
export default () => {
  const { store, ...options } = base()
  const saveApplication = async (...args) => {
    await store.saveApplication(...args)
    process.kill(process.pid, 'SIGKILL')
  }
  return { ...options, store: Object.create(store, { saveApplication: { value: saveApplication } }) }
}
`

// Concurrent, because these tests mostly wait.
describe.concurrent('prove that was killed', { timeout: 120_000 }, () => {
  it('leaves nothing without an end, which the doctor names; later a server deletes it, and nothing else of that name', async ({
    expect,
    onTestFinished,
  }) => {
    const deployment = await startDeployment({})
    onTestFinished(deployment.end)
    const other = await deployment.auth.applications.create({ name: NAME, apis: ['orders'] })
    const folder = dirname(deployment.commandLine[2]!)
    const config = join(folder, 'killing.mjs')
    await writeFile(config, KILLING)
    expect(await diagnose(deployment)).toEqual([])
    expect(await runProve(deployment, config)).toEqual([null, 'SIGKILL'])

    const left = (await readRecords(deployment)).filter(({ id }) => id !== other.application.id)
    expect(left).toHaveLength(1)
    expect(left.map(listEnds)).toEqual(left.map(({ keys, secrets }) => [...keys, ...secrets].map(() => 'ends')))
    expect(await diagnose(deployment)).toEqual([
      {
        level: 'note',
        check: 'applications of prove',
        finding: expect.stringContaining(`${left[0]!.id}. It runs now, or was killed.`),
        fix: expect.stringContaining('express-platform-auth apps delete ID'),
      },
    ])

    const later = await openLater(deployment)
    onTestFinished(later.close)
    await expectDeleted(expect, later.auth, left)
    const { status } = await later.caller.token('orders', other.credentials)
    expect(status).toBe(200)
  })

  it('leaves credentials and access tokens that are refused later, also before they are deleted', async ({
    expect,
    onTestFinished,
  }) => {
    const seen: { clientId: string; clientSecret: string }[] = []
    const watch: RequestHandler = ({ headers: { authorization = '' } }, res, next) => {
      const [scheme, value = ''] = authorization.split(' ')
      const [clientId = '', clientSecret = ''] = Buffer.from(value, 'base64').toString().split(':')
      res.once('finish', () => {
        if (scheme === 'Basic' && res.statusCode === 200) seen.push({ clientId, clientSecret })
      })
      next()
    }
    const deployment = await startDeployment({
      instances: [{ trustProxy: false, before: (app) => app.use(watch) }],
      options: { tokens: { lifetime: 3600 } },
    })
    onTestFinished(deployment.end)
    const program = spawn(process.execPath, [BIN, ...deployment.commandLine], { stdio: 'ignore' })
    const exited = once(program, 'exit')
    await waitUntil(() => seen.length > 0, { timeout: 60_000, interval: 10 })
    program.kill('SIGKILL')
    await exited
    const [credentials] = seen
    const now = createCaller({ app: deployment.url })
    const accessToken = await now.accessToken('orders', credentials!)
    expect((await now.bearer('/orders/items', accessToken)).status).toBe(200)
    expect((await now.key('/catalog/items', credentials!.clientId)).status).toBe(200)

    const left = await readRecords(deployment)
    // Just after the end, while the access token is valid for longer.
    const end = Math.max(...left.map(({ endsAt }) => endsAt ?? 0))
    expect(end).toBeLessThan(Date.now() + 3600_000)
    const later = await openLater(deployment, () => end + 1, { deletesNothing: true })
    onTestFinished(later.close)
    expect((await later.caller.token('orders', credentials!)).status).toBe(401)
    expect((await later.caller.key('/catalog/items', credentials!.clientId)).status).toBe(401)
    expect((await later.caller.bearer('/orders/items', accessToken)).status).toBe(401)
  })
})

/** How `prove` ends that is started with these options. */
async function runProve({ commandLine }: Deployment, config: string): Promise<unknown[]> {
  const args = commandLine.with(2, config)
  return once(spawn(process.execPath, [BIN, ...args], { stdio: 'ignore' }), 'exit')
}

async function readRecords({ auth, commandLine }: Deployment): Promise<readonly ApplicationRecord[]> {
  const store = sqliteStore(getFile(commandLine))
  await store.open()
  const { items } = await auth.applications.list()
  const records = await Promise.all(items.map(({ id }) => store.findApplication(id)))
  await store.close()
  return records.filter((record) => record !== undefined)
}

function getFile(commandLine: readonly string[]): string {
  return join(dirname(commandLine[2]!), 'platform.sqlite')
}

function listEnds({ keys, secrets, endsAt = 0 }: ApplicationRecord): string[] {
  const isEnding = (expiresAt = Infinity): boolean => expiresAt <= endsAt && endsAt < Date.now() + LATER_MS
  return [...keys, ...secrets].map(({ expiresAt }) => (isEnding(expiresAt) ? 'ends' : 'stays'))
}

interface LaterServer {
  readonly auth: PlatformAuth
  readonly caller: ReturnType<typeof createCaller>
  close(): Promise<void>
}

/** A server that starts later on the same store. */
async function openLater(
  { commandLine, url }: Deployment,
  now = (): number => Date.now() + LATER_MS,
  { deletesNothing = false } = {},
): Promise<LaterServer> {
  const file = sqliteStore(getFile(commandLine))
  const listApplications: typeof file.listApplications = async (query) =>
    query.endingBefore === undefined ? file.listApplications(query) : []
  const store = deletesNothing
    ? (Object.create(file, { listApplications: { value: listApplications } }) as typeof file)
    : file
  const { auth } = openPlatform({ baseUrl: url, secret: SECRET, store, now })
  await auth.ready()
  return { auth, caller: createCaller({ app: createApp(auth) }), close: () => auth.close() }
}

function createApp(auth: PlatformAuth): Express {
  return express()
    .use(auth.router)
    .get('/orders/items', auth.requireBearer('orders'), (_req, res) => void res.json([]))
    .get('/catalog/items', auth.requireApiKey('catalog'), (_req, res) => void res.json([]))
}

async function expectDeleted(
  expect: ExpectStatic,
  { applications, audit }: PlatformAuth,
  left: readonly ApplicationRecord[],
): Promise<void> {
  for (const { id } of left) {
    await expect.poll(async () => (await applications.get(id))?.status).toBe('deleted')
    const { items } = await audit.list({ applicationId: id })
    expect(items.at(-1)).toMatchObject({ type: 'application.deleted', by: undefined, details: { ended: true } })
  }
}

async function diagnose({ commandLine }: Deployment): Promise<unknown[]> {
  const { stdout } = await runInProcess(['doctor', '--json', '--db', getFile(commandLine)])
  const { findings } = JSON.parse(stdout) as { findings: { check: string }[] }
  return findings.filter(({ check }) => check === 'applications of prove' || check === 'expiring credentials')
}
