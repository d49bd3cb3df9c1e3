import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { WithPortal } from '../../../src/features/portal/index.js'
import type { PlatformAuth } from '../../../src/index.js'
import { sqliteStore } from '../../../src/stores/sqlite/index.js'
import { memoryMailer } from '../../../src/tools/testing/index.js'
import { freePort } from '../../support/free-port.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { usePlatform } from '../../support/platform.js'
import { killProcess, useSpareProcesses, type StartedProcess } from '../../support/spare-processes.js'
import { readHiddenFields } from './browser.js'
import { createTemporaryFolder } from '../../support/temporary-folder.js'

/** `npm run test:long`: more of them. */
const PROGRAM = new URL('../../support/portal-process.mjs', import.meta.url)
const ROUNDS = IS_LONG_LANE ? 60 : 3
/** A process is killed in each round that this number divides. */
const KILL_EVERY = IS_LONG_LANE ? 1 : 3
const FIRST = 'ann@shop.example'
const INVITED = ['one@shop.example', 'two@shop.example', 'three@shop.example'] as const
/** Together with the contacts that are invited: ten. */
const OTHERS = Array.from({ length: 6 }, (_, index) => `dev${index}@shop.example`)
const ELEVENTH = 'late@shop.example'

it(
  'exactly one acceptance of an invitation counts, none is lost, and there are ten contacts at most, in two processes that are killed',
  { timeout: 900_000 },
  async () => {
    const folder = await createTemporaryFolder()
    const file = join(folder, 'platform.sqlite')
    const mailer = memoryMailer()
    const { auth } = usePlatform({
      store: sqliteStore(file),
      mailer,
      apis: { orders: { scheme: 'oauth2' } },
      developersUrl: 'https://example.com/developers',
      now: Date.now,
    })
    const rounds = await invite(auth, mailer)
    const startSpare = useSpareProcesses(PROGRAM)
    const start = async (): Promise<StartedProcess> => startSpare(file, String(await freePort()), FIRST)
    const portals = [await start(), await start()]
    // How long the last round of acceptances took: a process is killed at any moment of one.
    let milliseconds = 40
    const counts = { accepted: 0, refused: 0, unanswered: 0 }
    for (const [index, { id, tokens }] of rounds.entries()) {
      const killed = index % 2
      // Each link in both processes at the same time, while the operator adds a contact for which there is no room.
      const began = performance.now()
      const accepting = Promise.all(tokens.flatMap((token) => portals.map((portal) => accept(portal, token))))
      void accepting.then(() => (milliseconds = performance.now() - began))
      const adding = auth.applications.addContact(id, ELEVENTH).then(
        () => 'added',
        (error: { code: string }) => error.code,
      )
      if ((index + 1) % KILL_EVERY === 0) {
        await sleep(Math.random() * milliseconds)
        await killProcess(portals[killed]!.child)
        portals[killed] = await start()
      }
      const answers = await accepting
      expect(await adding).toBe('too_many_contacts')
      await expectOneAcceptance(auth, id, answers, portals[killed]!)
      counts.accepted += answers.filter(({ status }) => status === 200).length
      counts.refused += answers.filter(({ status }) => status === 400).length
      counts.unanswered += answers.filter(({ status }) => status === undefined).length
    }
    process.stdout.write(`${Math.floor(ROUNDS / KILL_EVERY)} kills: ${JSON.stringify(counts)}\n`)
  },
)

async function expectOneAcceptance(auth: PlatformAuth, id: string, answers: readonly Answer[], portal: StartedProcess) {
  const tokens = [...new Set(answers.map(({ token }) => token))]
  for (const token of tokens) {
    const statuses = answers.filter((answer) => answer.token === token).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length, statuses.join()).toBeLessThanOrEqual(1)
    const isUnanswered = statuses.some((status) => status === undefined || status === 503)
    // Refused by both only if the acceptance was stored and its answer was lost.
    if (!statuses.includes(200)) expect(isUnanswered, statuses.join()).toBe(true)
    const again = await accept(portal, token)
    if (statuses.includes(200)) expect(again.status).toBe(400)
    else expect([200, 400]).toContain(again.status)
  }
  const { contacts, invitations } = (await auth.applications.get(id))!
  expect(contacts.toSorted()).toEqual([FIRST, ...OTHERS, ...INVITED].toSorted())
  expect(contacts[0]).toBe(FIRST)
  expect(invitations).toEqual([])
  const { items } = await auth.audit.list({ applicationId: id, limit: 1000 })
  const accepted = items.filter(({ type, details }) => type === 'application.contactAdded' && details?.['invited'])
  expect(accepted.map(({ by }) => String(by)).toSorted()).toEqual(
    INVITED.map((address) => `contact:${address}`).toSorted(),
  )
}

/** Applications with seven contacts and three invitations each, and the tokens of the links. */
async function invite(auth: WithPortal, mailer: ReturnType<typeof memoryMailer>) {
  const ids: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { application } = await auth.applications.create({ name: `Shop ${round}`, contact: FIRST, apis: ['orders'] })
    for (const address of OTHERS) await auth.applications.addContact(application.id, address)
    for (const address of INVITED) await auth.portal.invite(application.id, address)
    ids.push(application.id)
  }
  await expect.poll(() => mailer.emails.length, { timeout: 60_000 }).toBe(ROUNDS * INVITED.length)
  const tokens = mailer.emails.map(({ text }) => /\/invitation#(app_\w{32}\.[\w-]{43})/.exec(text)![1]!)
  return ids.map((id) => ({ id, tokens: tokens.filter((token) => token.startsWith(id)) }))
}

interface Answer {
  readonly token: string
  /** Undefined if the process was killed. */
  readonly status: number | undefined
}

/** Opens the page of the link, and sends its form. */
async function accept({ line: signInLink }: StartedProcess, token: string): Promise<Answer> {
  const { origin } = new URL(signInLink)
  const address = `${origin}/developers/applications/invitation`
  try {
    const page = await fetch(address)
    const { csrf } = readHiddenFields(await page.text())
    const cookie = page.headers.getSetCookie().map((each) => each.split(';', 1)[0])
    const response = await fetch(address, {
      method: 'POST',
      headers: { Cookie: cookie.join('; '), Origin: origin },
      body: new URLSearchParams({ csrf: csrf!, token }),
    })
    await response.body?.cancel()
    return { token, status: response.status }
  } catch {
    return { token, status: undefined }
  }
}
