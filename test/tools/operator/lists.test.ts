import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderChange } from '../../../src/tools/operator/audit-page.js'
import { formatCsv } from '../../../src/tools/operator/formats.js'
import { getFormats } from '../../../src/shared/web/formats.js'
import { TEXTS } from '../../../src/tools/operator/texts/languages.js'
import type { Visit } from '../../../src/tools/operator/visit.js'
import { createReported, HOSTILE, openOperator, type OperatorApp } from './operator-app.js'

const DAY_MS = 86_400_000
/** What a reader sees of a page. */
const readText = (page: string): string =>
  page.replaceAll(/<(?:style|script)[^]*?<\/(?:style|script)>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('Today', () => {
  let host: OperatorApp
  let ids: Record<'full' | 'refused' | 'ending' | 'unused' | 'bounced' | 'waiting' | 'asking', string>
  let at: number

  beforeAll(async () => {
    const send = async ({ to }: { to: string }): Promise<void> => {
      if (to.startsWith('bounce')) throw Object.assign(new Error('refused'), { responseCode: 550 })
    }
    host = await openOperator({}, undefined, { mailer: { send }, operators: ['ops@example.com'], background: false })
    at = host.clock.now()
  })
  afterAll(() => host.auth.close())

  it('says that there is nothing to do', async () => {
    const text = readText((await host.get('')).text)
    expect(text).toMatch(/There is no application yet .* Create application .*No calls in 30 days .*curl -H/)
  })

  it('names what needs somebody: who waits, quotas, refusals, e-mails, credentials', async () => {
    const { applications, plans, registration } = host.auth
    const create = async (name: string, contact = `${name}@example.com`) =>
      (await applications.create({ name, contact, apis: { orders: {}, catalog: {} } })).application.id
    ids = {
      full: await create('Full'),
      refused: await create('Refused'),
      ending: await create('Ending'),
      unused: await create('Unused'),
      bounced: await create('Bounced', 'bounce@example.com'),
      asking: await create('Asking'),
      waiting: (
        await registration.register({
          name: HOSTILE.slice(0, 40).replaceAll(/[^a-z ]/gi, 'x'),
          contact: 'w@example.com',
          apis: { orders: {} },
        })
      ).application.id,
    }
    await plans.set(ids.full, 'free')
    const day = (back: number): string => new Date(at - back * DAY_MS).toISOString().slice(0, 10)
    await host.store.quotas.add({ id: 'q', at }, [{ day: day(0), applicationId: ids.full, count: 990 }])
    const count = (applicationId: string, back: number, outcome: string, n: number) => ({
      day: day(back),
      applicationId,
      api: 'orders',
      outcome,
      count: n,
    })
    await host.store.usage.add({ id: 'u', at }, [
      count(ids.refused, 0, 'invalid_token', 90),
      count(ids.refused, 0, 'allowed', 10),
      count(ids.refused, 1, 'invalid_token', 7),
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((back) => count(ids.ending, back, 'invalid_token', 50)),
    ])
    for (const id of [ids.ending, ids.unused])
      await applications.addKey(id, { name: 'soon', expiresAt: new Date(at + 9 * DAY_MS) })
    const { keys } = (await host.store.findApplication(ids.ending))!
    await host.store.noteCredentialUse([{ hash: keys.find(({ name }) => name === 'soon')!.hash, at: at - 60_000 }])
    // A rotated key is in use until the overlap ends, and named while nothing uses the new one.
    const [replaced, unseen] = [await create('Replaced'), await create('Unseen')]
    for (const each of [replaced, unseen]) {
      await applications.rotateKey(each, { overlap: 3600 })
      const { keys: both } = (await host.store.findApplication(each))!
      const used = both.filter(({ expiresAt }) => each === replaced || expiresAt !== undefined)
      await host.store.noteCredentialUse(used.map(({ hash }) => ({ hash, at: at - 60_000 })))
    }
    await applications.rotateKey(ids.bounced, { deliver: 'email' })
    const { requestAccess } = host.core.find('registration')!
    await requestAccess(() => undefined, ids.asking, { api: 'invoices', scopes: [], by: 'contact:asking@example.com' })
    await host.auth.flush()
    const page = (await host.get('')).text
    const cards = Object.fromEntries(
      [...page.matchAll(/<h2>([^<]*)[^]*?<\/section>/g)].map(([card, title = '']) => [
        title.trim(),
        [...card.matchAll(/<strong><a href="[^"]*\/(app_\w+)">/g)].map(([, id]) => id),
      ]),
    )
    expect(cards['Waiting for a decision']?.toSorted()).toEqual([ids.waiting, ids.asking].toSorted())
    expect(cards['Quotas almost used up']).toEqual([ids.full])
    expect(cards['More refusals than usual']).toEqual([ids.refused])
    expect(cards['Undelivered e-mails']).toContain(ids.bounced)
    expect(cards['Credentials expiring soon']).toEqual([unseen, ids.ending])
    const emails = readText((await host.get('/emails')).text)
    expect(emails).toMatch(
      /Bounced Waits to be sent New key 550, mailbox not available just now Next attempt in less than a minute bounce@example\.com/,
    )
    expect(readText((await host.get('/emails?state=failed')).text)).not.toContain('bounce@')
    expect((await host.get('/emails?state=never')).status).toBe(400)
    await host.auth.applications.deny(ids.waiting, { reason: 'No' })
    expect(readText((await host.get('/emails')).text)).toMatch(
      /Deleted application Waits to be sent Denial just now Next attempt just now w@example\.com/,
    )
    expect(readText(page)).toMatch(/Refused : 90 refused today, usually 1 90% refused invalid_token Show refusals/)
  })
})

describe('lists', () => {
  let host: OperatorApp
  let denied: string | undefined
  let id: string
  beforeAll(async () => {
    host = await openOperator({ can: (_, action) => action !== denied })
    const { application } = await host.auth.applications.create({
      name: HOSTILE,
      contact: 'dev@example.com',
      apis: { orders: {} },
      by: HOSTILE,
    })
    ;({ id } = application)
    const at = host.clock.now()
    const day = new Date(at).toISOString().slice(0, 10)
    await host.store.usage.add({ id: 'u', at }, [
      { day, applicationId: id, api: 'orders', outcome: 'allowed', count: 1200 },
      { day, applicationId: id, api: 'orders', outcome: 'invalid_token', count: 34 },
      { day, applicationId: id, api: 'orders', outcome: 'token', count: 100 },
      { day: '2020-01-31', applicationId: id, api: 'orders', outcome: 'allowed', count: 5 },
      ...['GET /few', `GET /${HOSTILE}`].map((route, at) => ({
        day,
        applicationId: id,
        api: 'orders',
        outcome: 'allowed',
        route,
        count: 300 + at,
      })),
    ])
    await host.store.usage.addReported({ id: 'r', at }, [createReported(id, at, `GET /${HOSTILE}`)])
    await host.auth.applications.suspend(id, { by: 'operator:bob', reason: HOSTILE })
  })
  afterAll(() => host.auth.close())

  it.each([
    ['/', 'applications.list', /Today/],
    ['/usage', 'usage.totals', /1,200 34 2\.8% 100 invalid_token/],
    ['/usage?sort=allowed&period=2020-02', 'usage.totals', /Nothing was found/],
    ['/usage?period=2020-01', 'usage.totals', /No refusals/],
    ['/usage.csv', 'usage.totals', /invalid_token/],
    ['/usage-days.csv', 'usage.overall', /"orders","1200","34","100","{""invalid_token"":34}"\s*$/],
    ['/usage-routes.csv', 'usage.overallRoutes', /"orders","GET \/"".*","301","301" .*"GET \/few","300","300"/],
    ['/usage-routes.csv?period=2020-01', 'usage.overallRoutes', /^\W*"period","api","route","allowed","units"\s*$/],
    ['/emails', 'emails.list', /No e-mails are waiting/],
    ['/emails?state=failed', 'emails.list', /Nothing was found/],
    ['/keys', 'signingKeys.list', /In use ES256 Created/],
    ['/audit', 'audit.list', /application\.suspended/],
    ['/audit?type=application.registered', 'audit.list', /application\.registered/],
    ['/audit.csv?by=operator:bob', 'audit.list', /application\.suspended/],
    [
      '/reportOnly',
      'usage.reportOnly',
      /apis\.orders\.reportOnly .*{ until: &#39;20\d\d-\d\d-\d\d&#39; } .*insufficient_scope 7/,
    ],
  ])('%s: only with the right %s, and with hostile text escaped', async (path, right, shows) => {
    const { status, text } = await host.get(path)
    expect(status, text.slice(-2000)).toBe(200)
    expect(readText(text)).toMatch(shows)
    if (!path.includes('.csv')) expect(text).not.toContain('<script>alert')
    denied = right
    const refused = await host.get(path)
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('You have no right to see this page.'),
    ])
    expect((await host.get(path, { 'X-Staff': '' })).status).toBe(403)
    denied = undefined
  })

  it.each([
    ['', 'usage.overall', /All applications, 30 days See usage Allowed 1,200 Refused 34 2\.8% .* Calls today 1,234 /],
    [
      '/usage',
      'usage.overall',
      /All applications, 30 days Days as CSV Allowed 1,200 Refused 34 2\.8% .* By application \d+ \w+ 20\d\d Applications as CSV/,
    ],
    ['/usage', 'usage.overallRoutes', /Routes \d+ \w+ 20\d\d .* Orders 301 GET \/few Orders 300/],
  ])(
    'show at "%s" by the right %s how all applications do, with hostile routes escaped',
    async (path, right, shows) => {
      const read = async (): Promise<string> => (await host.get(path)).text
      expect(readText(await read())).toMatch(shows)
      expect(await read()).not.toContain('<script>alert')
      denied = right
      const left = readText(await read())
      denied = undefined
      expect(left).not.toMatch(shows)
      expect(left).toMatch(/ invalid_token/)
    },
  )

  it('show when each signing key is published, signs and verifies, as bars on one axis', async () => {
    const readBars = async (): Promise<(string | number)[][]> =>
      [...(await host.get('/keys')).text.matchAll(/<rect\s+class="(\w+)"\s+x="([\d.]+)%"\s+width="([\d.]+)%/g)].map(
        ([, state = '', x, width]) => [state, Number(x), Number(x) + Number(width)],
      )
    expect(await readBars()).toEqual([['current', 0, 100]])
    const { signsFrom } = await host.auth.signingKeys.rotate()
    const [current, former, next, later] = await readBars()
    expect([current, former, next, later].map((bar) => bar?.[0])).toEqual(['current', 'former', 'next', 'current'])
    // The old key signs until the new one does, and verifies for a while longer; the new one has no end.
    expect([former?.[1], next?.[2], later?.[1]]).toEqual(Array.from({ length: 3 }, () => current?.[2]))
    expect(former?.[2]).toBeLessThan(100)
    expect(later?.[2]).toBe(100)
    expect(signsFrom.getTime()).toBeGreaterThan(host.clock.now())
  })

  it.each([
    ['/', /All applications, 30 days .* Refused 34 2\.8%/],
    ['/', /: 34 refused today, usually 0 2\.8% refused invalid_token Show refusals/],
    ['/usage', /All applications, 30 days .* Refused 34 2\.8% .* 1,200 34 2\.8% 100 invalid_token/],
    ['/applications', /Suspended 1,234 34 /],
    ['/applications/ID', /Calls in 30 days 1,234 Refused in 30 days 34 2\.8%/],
  ])('count the share of the refused in calls, and not in requests for tokens: %s %s', async (path, shows) => {
    expect(readText((await host.get(path.replace('ID', id))).text)).toMatch(shows)
  })

  it('filter the audit by change, actor, application and time', async () => {
    const count = async (query: string): Promise<number> =>
      (await host.get(`/audit?${query}`)).text.match(/<li class="row">/g)?.length ?? 0
    expect(await count('by=operator:bob')).toBe(1)
    expect(await count(`by=operator:bob&application=${id}&type=application.suspended`)).toBe(1)
    expect(await count('by=operator:carl')).toBe(0)
    // As rows show it.
    expect(await count('by=bob')).toBe(1)
    expect(await count(`by=bob&application=${encodeURIComponent(HOSTILE)}`)).toBe(1)
    expect(await count('by=bob&application=Refused')).toBe(0)
    expect(await count('until=2000-01-01')).toBe(0)
    const today = new Date(host.clock.now()).toISOString().slice(0, 10)
    expect(await count(`by=operator:bob&from=${today}&until=${today}`)).toBe(1)
    for (const [path, label] of [
      ['/audit?from=never', 'Since'],
      ['/usage?period=never', 'Period'],
    ] as const) {
      const { status, text } = await host.get(path)
      const [, said = ''] = /<p>(“[^<]*)<\/p>/.exec(text) ?? []
      expect([path, status, said]).toEqual([path, 400, expect.stringContaining(`“${label}” was not accepted. It `)])
      expect(text).toContain('href="/staff/operator/audit"')
    }
    const { text } = await host.get('/applications?status=never')
    expect(text).toMatch(/This filter does not exist[^]*“Status” can be Pending, Active, Suspended or Deleted\./)
    expect((await host.get('/emails?state=never')).text).toContain('Failed, Link not used yet or Held back.')
  })

  it('say who did what to which application and when, and of an unknown kind its name and details', async () => {
    const shown = readText((await host.get('/audit?by=operator:bob')).text)
    expect(shown).toMatch(/ bob suspended &#34;.* application\.suspended Reason: &#34;.* \d\d:\d\d /)
    expect(readText((await host.get('/audit?type=application.registered')).text)).toContain('APIs and scopes: Orders (')
    const visit = { auth: host.auth, texts: TEXTS.en, formats: getFormats('en'), now: 0 } as unknown as Visit
    const change = {
      type: 'application.painted',
      at: new Date(0),
      details: { color: { red: 1 } },
      applicationId: id,
      id: '1',
    }
    const { markup } = renderChange(visit, change as never, HOSTILE)
    expect(readText(markup)).toMatch(/^ application\.painted application\.painted color: \{&#34;red&#34;:1\} 00:00/)
  })

  it('say that nothing was found where a filter has left nothing, and not that there is nothing', async () => {
    for (const path of ['/audit?until=2000-01-01', '/emails?state=failed', '/applications?q=nobody']) {
      const { text } = await host.get(path)
      expect([path, text]).toEqual([path, expect.stringContaining('<h3>Nothing was found</h3>')])
      expect(text).not.toContain('class="empty good"')
    }
    expect((await host.get('/emails?state=')).text).toContain('<h3>No e-mails are waiting</h3>')
  })

  it('are files in which a spreadsheet reads no formula', async () => {
    const { headers, text } = await host.get('/audit.csv')
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
    expect(headers['content-security-policy']).toContain('sandbox')
    expect(text).toContain(`""><script>`)
    const cells = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '|cmd',
      ' =1',
      'a;=1',
      '＝1+1',
      'a;＠SUM(A1)',
      'a"b',
      'a\nb',
      -7,
      undefined,
    ]
    const written = formatCsv('head', [cells]).slice('_"head"__'.length).trimEnd()
    expect(written).toBe(
      `"'=1+1","'+1","'-1","'@SUM(A1)","'\t=1","'\r=1","'|cmd","' =1","a;'=1","'＝1+1","a;'＠SUM(A1)","a""b","a\nb","-7",""`,
    )
  })
})
