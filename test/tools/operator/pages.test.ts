import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { operatorPages } from '../../../src/tools/operator/index.js'
import { EXPRESSES, openPlatform } from '../../support/platform.js'
import { request } from '../../support/request.js'
import { HOSTILE, openOperator, type OperatorApp } from './operator-app.js'

describe.each(Object.entries(EXPRESSES))('the operator’s pages on %s', (_, express) => {
  let host: OperatorApp
  let ids: Record<'acme' | 'hostile' | 'waiting', string>
  beforeAll(async () => {
    host = await openOperator({}, express)
    const { applications, registration } = host.auth
    const create = async (name: string, externalId: string, contact = `${externalId}@example.com`) =>
      (
        await applications.create({
          name,
          contact,
          externalId,
          apis: { orders: { scopes: ['orders:read'] }, catalog: {} },
        })
      ).application.id
    ids = {
      acme: await create('Acme', 'c-1'),
      hostile: await create(HOSTILE, 'c-2'),
      waiting: (await registration.register({ name: 'Waiting', contact: 'w@example.com', apis: { orders: {} } }))
        .application.id,
    }
    await host.auth.plans.set(ids.acme, 'gold')
    await applications.update(ids.hostile, { metadata: { [HOSTILE]: HOSTILE }, externalId: HOSTILE, by: HOSTILE })
    await applications.addKey(ids.hostile, { name: HOSTILE, by: HOSTILE })
  })
  afterAll(() => host.auth.close())

  it('lead to each application by name, contact, id and the operator’s own id, and by filters', async () => {
    const acmeKey = (await host.auth.applications.get(ids.acme))!.keys[0]!
    const found: Record<string, readonly string[]> = {
      '': [ids.acme, ids.hostile, ids.waiting],
      'q=acm': [ids.acme],
      'q=C-1@EXAMPLE.COM': [ids.acme],
      'q=c-1': [ids.acme],
      [`q=${ids.acme}`]: [ids.acme],
      'q=nothing': [],
      'status=pending': [ids.waiting],
      'api=catalog': [ids.acme, ids.hostile],
      'plan=gold': [ids.acme],
      'ends=soon': [],
      'use=never': [ids.acme, ids.hostile, ids.waiting],
      'use=recent': [],
      'use=old&api=catalog': [],
      [`q=${acmeKey.prefix}`]: [ids.acme],
      'q=acme&status=active&api=orders&plan=gold': [ids.acme],
    }
    for (const [query, expected] of Object.entries(found)) {
      const { status, text } = await host.get(`/applications?${query}`)
      expect([query, status]).toEqual([query, 200])
      const links = [...text.matchAll(/href="\/staff\/operator\/applications\/(app_\w+)"/g)].map(([, id]) => id)
      expect(links, query).toEqual(expected)
    }
    expect((await host.get('/applications?status=nothing')).status).toBe(400)
  })

  it('show 25 applications at once, and the others on further pages of the same search', async () => {
    for (let at = 0; at < 26; at++)
      await host.auth.applications.create({ name: `Many ${String(at).padStart(2, '0')}`, apis: { weather: {} } })
    const { text } = await host.get('/applications?api=weather')
    const [, next = ''] = /href="\/staff\/operator(\/applications\?[^"]*after=[^"]*)"/.exec(text) ?? []
    const { text: last } = await host.get(next.replaceAll('&#38;', '&'))
    expect([text.match(/>Many \d\d</g)?.length, last.match(/>Many \d\d</g)]).toEqual([25, ['>Many 25<']])
  })

  it('show one application: usage, refusals in words, credentials, access, plan, contacts, e-mails, audit', async () => {
    const { id } = (await host.auth.applications.list({ externalId: 'c-1' })).items[0]!
    const day = new Date(host.clock.now()).toISOString().slice(0, 10)
    await host.store.usage.add({ id: 'acme', at: host.clock.now() }, [
      { day, applicationId: id, api: 'orders', outcome: 'allowed', count: 1204 },
      { day, applicationId: id, api: 'orders', outcome: 'invalid_token', count: 7 },
    ])
    const refusal = {
      api: 'orders',
      error: 'invalid_token',
      reason: 'expired_token',
      requestId: 'r-1',
      address: '203.0.113.7',
    }
    await host.store.usage.addRefusals(
      { id: 'refusals', at: host.clock.now() },
      [
        { ...refusal, applicationId: id, at: host.clock.now(), details: { route: 'GET /orders/:id' } },
        { ...refusal, reason: 'invalid_scope', applicationId: id, at: host.clock.now(), details: {} },
      ],
      50,
    )
    const { text } = await host.get(`/applications/${id}`)
    for (const part of [
      '1,211',
      'Expired access token',
      'or leave out <code>scope</code>.',
      'GET /orders/:id',
      'epa_key_',
      'orders:read',
      'gold',
      '5,000',
      'c-1@example.com',
      'application.registered',
    ])
      expect(text).toContain(part)
    const { text: waiting } = await host.get(`/applications/${ids.waiting}`)
    for (const part of ['Pending', 'First credentials', 'Waits for approval']) expect(waiting).toContain(part)
  })

  it('offer a decision exactly for what is listed as waiting, and can be approved', async () => {
    const { applications, registration, emails } = host.auth
    const register = async (api: 'orders' | 'catalog', contact = 'bounce@example.com') =>
      (await registration.register({ name: 'Bounces', contact, apis: { [api]: {} } })).application.id
    const [held, arriving] = [await register('orders'), await register('catalog')]
    await emails.cancel(held)
    const { items } = await applications.list({ waiting: true })
    expect([ids.waiting, held, arriving].map((id) => items.some((each) => each.id === id))).toEqual([true, true, false])
    for (const [id, isOffered] of [
      [held, true],
      [arriving, false],
    ] as const) {
      const { text } = await host.get(`/applications/${id}`)
      expect([text.includes(`${id}/approve"`), text.includes(`${id}/deny"`)]).toEqual([isOffered, isOffered])
      expect((await host.get(`/applications/${id}/approve`)).status).toBe(isOffered ? 200 : 404)
      const approved = await applications.approve(id).catch(({ code }: { code: string }) => code)
      expect(approved).toEqual(isOffered ? expect.objectContaining({ waitingSince: undefined }) : 'invalid_state')
      await applications.delete(id)
    }
  })

  it('say of a suspended application since when, by whom and why, by its last suspension', async () => {
    const { applications } = host.auth
    const { id } = (await applications.create({ name: 'Acme to Orders', apis: { orders: {} } })).application
    const readNotice = async () => {
      const [, notice] = /class="notice bad">([^]*?)<\/div>/.exec((await host.get(`/applications/${id}`)).text) ?? []
      return notice
        ?.replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
    }
    await applications.suspend(id, { reason: 'First', by: 'operator:ann' })
    host.clock.advance(86_400)
    await applications.resume(id)
    expect(await readNotice()).toBeUndefined()
    const on = new Date(host.clock.now()).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
    await applications.suspend(id, { reason: `Second ${HOSTILE}`, by: 'operator:bob' })
    expect(await readNotice()).toMatch(new RegExp(`^Suspended on ${on}, .* by bob\\. .* Reason: Second &#34;`))
    const { text: form } = await host.get(`/applications/${id}/disallow?api=orders`)
    expect(form).toContain('<h1>Remove access of “Acme to Orders” to Orders</h1>')
  })

  it('escape whatever applications and callers wrote', async () => {
    const { text } = await host.get(`/applications/${ids.hostile}`)
    const { text: list } = await host.get(`/applications?q=${encodeURIComponent(HOSTILE)}`)
    const { text: refused } = await host.get('/nothing', { 'X-Staff': '<script>' })
    for (const page of [text, list, refused]) {
      expect(page).toContain('&#60;script&#62;')
      expect(page).not.toContain('<script>alert')
    }
    expect(/<title>(.*)<\/title>/.exec(text)?.[1]).toBe(
      '&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;=HYPERLINK(&#39;x&#39;)&#38;amp;',
    )
  })

  it('are in four languages, not cached, not framed, and run nothing of others', async () => {
    for (const [language, heading] of [
      ['de-AT', 'Anwendungen'],
      ['fr', 'Applications'],
      ['es', 'Aplicaciones'],
      ['nl', 'Applications'],
    ] as const) {
      const { text, headers } = await host.get('/applications', { 'Accept-Language': language })
      expect(text).toContain(`<h1>${heading}</h1>`)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['referrer-policy']).toBe('same-origin')
      expect(headers['content-security-policy']).toMatch(
        /^default-src 'none';.*form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      expect(headers['content-security-policy']).not.toContain('unsafe')
    }
  })

  it('lead nowhere else, whatever path they are mounted at', async () => {
    const app = express().use(operatorPages(host.auth, { operator: () => 'alice' }))
    expect((await request(app).get('/applications')).text).toContain('href="/applications"')
    const doubled = express().use(/.*\/operator/, operatorPages(host.auth, { operator: () => 'alice' }))
    const { headers, text } = await request(doubled).get('//example.com/operator/applications')
    expect(`${headers['location']} ${text}`).not.toMatch(/["= ]\/\/example\.com/)
  })

  it('lead from a page that does not exist to the list it was in, else to the first page that there is for the operator', async () => {
    let denied: string | undefined
    const one = await openOperator({ can: (_, action) => action !== denied }, express)
    const findLinks = async (path: string) =>
      [...(await one.get(path)).text.matchAll(/class="button" href="([^"]*)"/g)].map(([, href]) => href)
    expect(await findLinks('/nothing')).toEqual(['/staff/operator/'])
    expect(await findLinks('/applications/app_0')).toEqual(['/staff/operator/applications'])
    denied = 'applications.list'
    expect(await findLinks('/')).toEqual(['/staff/operator/usage'])
    await one.auth.close()
  })

  it('answer 404 for pages that do not exist, and 405 for other methods', async () => {
    for (const path of ['/applications/app_0', '/applications/%00', '/nothing', '/applications/x/y/z', '/%E0'])
      expect([path, (await host.get(path)).status]).toEqual([path, 404])
    const { status, headers } = await request(host.app).put('/staff/operator/applications').set('X-Staff', 'alice')
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe('the options of operatorPages()', () => {
  it('are refused with their name and the fix', () => {
    const { auth } = openPlatform({ background: false })
    const open = (options: unknown) => () => operatorPages(auth, options as never)
    for (const options of [undefined, {}, { operator: 'alice' }])
      expect(open(options)).toThrow(/^operator is .*operator: \(req\) => req\.user\?\.email/)
    expect(open({ operator: () => 'a', can: true })).toThrow(/^can is true\..*can: \(operator, action\)/)
    expect(open({ operator: () => 'a', cann: () => true })).toThrow('Did you mean "can"?')
    for (const signOut of ['sign-out', '//evil.example', '/\\evil.example', 5])
      expect(open({ operator: () => 'a', signOut })).toThrow(/^signOut is/)
    expect(() => operatorPages({} as never, { operator: () => 'a' })).toThrow('which is no platform')
  })
})

describe('an operator', () => {
  it('is who the host says; anything but a name is answered with 403', async () => {
    const answers: readonly (() => unknown)[] = [
      () => undefined,
      () => '',
      () => null,
      () => 7,
      () => ({ toString: () => 'alice' }),
      () => 'a\nb',
      () => 'a'.repeat(201),
      () => Promise.resolve(undefined),
      () => Promise.reject(new Error('directory')),
      () => {
        throw new Error('directory')
      },
    ]
    for (const operator of answers) {
      const host = await openOperator({ operator })
      const { status, text } = await host.get('/applications')
      expect([String(operator), status]).toEqual([String(operator), 403])
      expect(text).not.toContain('<table>')
      await host.auth.close()
    }
    const host = await openOperator({ operator: async () => 'alice' })
    expect((await host.get('/applications')).status).toBe(200)
    await host.auth.close()
  })

  it('sees only what `can` allows with true, or a promise of it', async () => {
    const answers: readonly (readonly [answer: () => unknown, isAllowed: boolean])[] = [
      [() => true, true],
      [async () => true, true],
      [() => 'true', false],
      [() => 1, false],
      [() => ({}), false],
      [() => undefined, false],
      [async () => false, false],
      [() => Promise.reject(new Error('rights')), false],
      [
        () => {
          throw new Error('rights')
        },
        false,
      ],
    ]
    for (const [answer, isAllowed] of answers) {
      const host = await openOperator({ can: answer })
      const { application } = await host.auth.applications.create({ name: 'Acme', apis: { catalog: {} } })
      for (const path of ['/applications', `/applications/${application.id}`]) {
        const { status, text } = await host.get(path)
        const refused = path === '/applications' ? 403 : 404
        expect([String(answer), path, status]).toEqual([String(answer), path, isAllowed ? 200 : refused])
        if (!isAllowed) expect(text).not.toContain('Acme')
      }
      await host.auth.close()
    }
  })

  it('sees the parts of an application that `can` allows, by operation, right and application', async () => {
    const asked = new Map<string, unknown>()
    const can = (operator: string, action: string, context: { scope: string; applicationId: string | undefined }) => {
      asked.set(action, [operator, context])
      return context.scope === 'applications:read'
    }
    const host = await openOperator({ can })
    const { application } = await host.auth.applications.create({ name: 'Acme', apis: { catalog: {} } })
    const { text } = await host.get(`/applications/${application.id}`)
    expect(text).toContain('epa_key_')
    for (const part of ['application.registered', 'class="plot"', 'No refusals']) expect(text).not.toContain(part)
    expect(asked.get('applications.suspend')).toEqual([
      'alice@example.com',
      { scope: 'applications:write', applicationId: application.id },
    ])
    await host.auth.close()
  })

  it.each(['operator', 'can'])('is answered 503 if the host says nothing within 5 seconds: %s', async (option) => {
    let note: () => void
    const asked = new Promise<void>((resolve) => (note = resolve))
    const ask = (): Promise<never> => {
      note()
      return new Promise(() => undefined)
    }
    const host = await openOperator({ [option]: ask }, undefined, { background: false })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const answer = host.get('/applications').then(({ status, text }) => [status, text.includes('does not answer')])
      await asked
      await vi.advanceTimersByTimeAsync(5000)
      expect(await answer).toEqual([503, true])
    } finally {
      vi.useRealTimers()
    }
    await host.auth.close()
  })

  it('is asked about one application for a search and for lists by its id, and sees no other one there', async () => {
    let known = ''
    const can = (_: string, __: string, { applicationId }: { applicationId: string | undefined }) =>
      known === '' || applicationId === known
    const host = await openOperator({ can })
    const create = async (name: string) =>
      (await host.auth.applications.create({ name, apis: { catalog: {} } })).application.id
    const [own, other] = [await create('Own'), await create('Other')]
    known = own
    for (const path of ['/applications?q=ID', '/audit?application=ID', '/audit.csv?application=ID']) {
      const { status, text } = await host.get(path.replace('ID', own))
      expect([path, status, text.includes(own)]).toEqual([path, 200, true])
      expect([path, (await host.get(path.replace('ID', other))).status]).toEqual([path, 403])
      expect([path, (await host.get(path.replace('ID', ''))).status]).toEqual([path, 403])
    }
    for (const path of ['/keys?application=ID', '/do/rotateSigningKey?application=ID', '/emails?q=ID', '/audit?q=ID'])
      expect([path, (await host.get(path.replace('ID', own))).status]).toEqual([
        path,
        path.startsWith('/do') ? 404 : 403,
      ])
    known = `app_${'0'.repeat(32)}`
    await host.auth.applications.update(own, { name: `${known} named as it` })
    expect((await host.get(`/applications?q=${known}`)).text).not.toContain('named as it')
    await host.auth.close()
  })
})
