import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BACKINGS } from '../../core/applications/applicant.js'
import { IS_LONG_LANE } from '../../support/long-lane.js'
import { EXPRESSES } from '../../support/platform.js'
import { request, type Response } from '../../support/request.js'
import { openRegistration, PATH, postJson } from './registration-app.js'

const OPERATORS = ['apis@example.com', 'second@example.com']
const CONTACT = 'dev@customer.example'
const REASON = 'Ask <your> account manager.'
const DAY_MS = 86_400_000

/** Two processes on a store, whose operators get links, and a clock that only goes on. */
async function open(openBacking = BACKINGS['memory']!) {
  const store = (await openBacking({ onTestFinished }))()
  let time = Date.now()
  const options = { store: { ...store, close: async () => undefined }, operators: OPERATORS, now: () => (time += 1) }
  const here = openRegistration(EXPRESSES['Express 5'], options)
  const there = openRegistration(EXPRESSES['Express 5'], options)
  onTestFinished(async () => {
    await Promise.all([here.auth.close(), there.auth.close()])
    await store.close()
  })
  await Promise.all([here.auth.ready(), there.auth.ready()])
  const emails = () => [...here.mailer.emails, ...there.mailer.emails]
  return {
    store,
    options,
    here,
    there,
    applications: here.auth.applications,
    registration: here.auth.registration,
    /** The links of both operators for what `ask` asks. */
    async links(ask: () => Promise<unknown>): Promise<[string, string]> {
      const before = new Set(emails())
      await ask()
      const sent = () => emails().filter((email) => !before.has(email) && OPERATORS.includes(email.to))
      await vi.waitFor(() => expect(sent()).toHaveLength(2), 60_000)
      const links = OPERATORS.map(
        (to) => /#([\w-]+\.[\w-]{43})\s/.exec(sent().find((each) => each.to === to)!.text)![1]!,
      )
      return links as [string, string]
    },
    /** As a retention that has removed everything. */
    async forgetAudit(): Promise<void> {
      while ((await store.deleteAudit(time + DAY_MS, 1000)) === 1000);
    },
    passDays: (days: number) => void (time += days * DAY_MS),
  }
}

async function post({ app }: ReturnType<typeof openRegistration>, fields: Record<string, string>): Promise<Response> {
  return request(app).post(`${PATH}/decide`).type('form').send(new URLSearchParams(fields).toString())
}

/** SQLite, whose statements are those of PostgreSQL, in the long lane. */
const TRIED = Object.entries(BACKINGS).filter(([name]) => IS_LONG_LANE || name !== 'SQLite')

describe.each(TRIED)('Without any audit record, on %s,', (_, openBacking) => {
  it('the decision about a registration says who asked, and a second one what was decided', async () => {
    const { here, there, registration, links, forgetAudit } = await open(openBacking)
    const register = () => postJson(here.app, { name: 'Shop', contact: CONTACT, apis: ['weather'] })
    const [first, second] = await links(register)
    await forgetAudit()
    expect((await post(there, { link: second })).text).toMatch(/IP address<\/dt>\s*<dd>127\.0\.0\.1/)
    const answers = await Promise.all([
      post(here, { link: first, decision: 'approve' }),
      post(there, { link: second, decision: 'approve' }),
    ])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
    await forgetAudit()
    const late = await post(there, { link: second, decision: 'deny', reason: REASON })
    expect([late.status, late.text]).toEqual([
      409,
      expect.stringMatching(/was approved on .* by (apis|second)@example/),
    ])
    expect(late.text).toMatch(/Weather.*IP address<\/dt>\s*<dd>127\.0\.0\.1/s)

    const host = () =>
      registration.register({ name: 'Denied', contact: CONTACT, apis: ['weather'], by: 'crm' } as never)
    const [denied, other] = await links(host)
    await forgetAudit()
    expect((await post(here, { link: denied })).text).toContain(', by crm')
    expect((await post(here, { link: denied, decision: 'deny', reason: REASON })).status).toBe(200)
    await forgetAudit()
    for (const again of [
      await post(there, { link: other, decision: 'approve' }),
      await post(there, { link: denied }),
    ]) {
      expect(again.text).toMatch(
        /was denied on .* by apis@example\.com\..*Ask &#60;your&#62; account.*Weather.*, by crm/s,
      )
      expect(again.text).not.toContain(CONTACT)
    }

    const [yes, no] = await links(register)
    const [approval, denial] = await Promise.all([
      post(here, { link: yes, decision: 'approve' }),
      post(there, { link: no, decision: 'deny', reason: REASON }),
    ])
    expect([200, 409]).toContain(approval.status)
    expect(denial.status).toBe(approval.status === 200 ? 409 : 200)
  })

  it('the decision about a request for access says so too, also once the application is deleted', async () => {
    const { store, here, there, applications, registration, links, forgetAudit, passDays, options } =
      await open(openBacking)
    const by = `contact:${CONTACT}`
    const { id } = (await applications.create({ name: 'Till', contact: CONTACT, apis: ['catalog'] })).application
    const ask = () => registration.requestAccess(id, { api: 'weather', by })
    const [first, second] = await links(ask)
    await forgetAudit()
    expect((await post(there, { link: second })).text).toContain(`, by ${by}`)
    await post(here, { link: first, decision: 'deny', reason: REASON })
    const [third, fourth] = await links(ask)
    await post(there, { link: fourth, decision: 'approve' })
    await forgetAudit()
    const denied = await post(there, { link: second, decision: 'approve' })
    expect([denied.status, denied.text]).toEqual([409, expect.stringMatching(/denied on .* by apis@.*Weather/s)])
    expect(denied.text).toContain(`, by ${by}`)
    expect((await post(here, { link: third })).text).toMatch(/approved on .* by second@.*Weather/s)
    await expect(applications.approve(id, { api: 'weather' })).rejects.toThrow(
      /no request for access to "weather".*by contact:dev@customer\.example, was approved at .* by operator:second@/,
    )

    await applications.disallow(id, 'weather')
    const [waiting] = await links(ask)
    await applications.delete(id, { by })
    await forgetAudit()
    expect((await post(there, { link: waiting })).text).toMatch(/This application was deleted on .* by a contact\./)
    expect((await post(there, { link: third })).text).toMatch(/was approved on .* by second@/)
    expect(JSON.stringify(await store.findApplication(id))).not.toContain(CONTACT)
    passDays(89)
    const cleaned = async () => {
      const { auth } = openRegistration(EXPRESSES['Express 5'], options)
      await auth.ready()
      const decided = async () => (await store.findApplication(id))!.decided
      return { decided, close: () => auth.close() }
    }
    const early = await cleaned()
    expect(await early.decided()).toHaveLength(3)
    await early.close()
    passDays(1)
    const late = await cleaned()
    await vi.waitFor(async () => expect(await late.decided()).toEqual([]), 60_000)
    await late.close()
  })
})

it('Decisions are found among many audit records, and a record keeps the newest 50', async () => {
  const { store, here, applications, registration, links } = await open()
  const by = `contact:${CONTACT}`
  const { id } = (await applications.create({ name: 'Till', contact: CONTACT, apis: ['catalog'] })).application
  const ask = () => registration.requestAccess(id, { api: 'weather', by })
  const [first] = await links(ask)
  await applications.deny(id, { api: 'weather', by: 'ann' })
  const [second] = await links(ask)
  for (let i = 0; i < (IS_LONG_LANE ? 10_000 : 1500); i++) {
    const current = (await store.findApplication(id))!
    const audit = {
      at: current.createdAt,
      type: 'application.accessRejected',
      by,
      applicationId: id,
      details: {},
    } as const
    await store.saveApplication({ ...current, version: current.version + 1 }, audit)
  }
  expect((await post(here, { link: second })).text).toContain(`, by ${by}`)
  expect((await post(here, { link: first })).text).toMatch(/was denied on .* by ann\./)
  await applications.allow(id, 'weather', { by: 'bob' })
  expect((await post(here, { link: second })).text).toMatch(/was approved on .* by bob\./)
  for (let i = 0; i < 60; i++) {
    await applications.disallow(id, 'weather')
    await ask()
    await applications.deny(id, { api: 'weather', by: `operator ${i}` })
  }
  const { decided } = (await store.findApplication(id))!
  expect([decided.length, decided[0]!.by, decided.at(-1)!.by]).toEqual([50, 'operator 59', 'operator 10'])
})

it('A recovery withdraws what its contact asked for, and says so', async () => {
  const { here, applications, registration, links } = await open()
  const { id } = (await applications.create({ name: 'Till', contact: CONTACT, apis: ['catalog'] })).application
  const [link] = await links(() => registration.requestAccess(id, { api: 'weather' }))
  await applications.recover(id, { contact: 'new@customer.example', by: 'ann' })
  expect((await post(here, { link })).text).toMatch(/was withdrawn, because .* on .* by ann\./)
})
