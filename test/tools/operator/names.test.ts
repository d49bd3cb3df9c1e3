import { expect, it, onTestFinished } from 'vitest'
import { createReported, openOperator } from './operator-app.js'

const NAME = 'Confidential Teas'
const CONTACT = 'dev@confidential.example'
const REGISTERED = 'Waiting Coffees'

it('whoever may neither list nor read applications finds no name and no address but in the totals of usage', async () => {
  let mayRead = true
  const host = await openOperator(
    { can: (_, action) => mayRead || (action !== 'applications.list' && action !== 'applications.get') },
    undefined,
    { mailer: { send: () => Promise.reject(new Error('Down')) } },
  )
  onTestFinished(() => host.auth.close())
  const { applications, registration } = host.auth
  const { application } = await applications.create({ name: NAME, contact: CONTACT, apis: { orders: {}, catalog: {} } })
  const { id } = application
  const at = host.clock.now()
  const day = new Date(at).toISOString().slice(0, 10)
  await host.store.usage.add({ id: 'u', at }, [
    { day, applicationId: id, api: 'orders', outcome: 'allowed', count: 12 },
    { day, applicationId: id, api: 'orders', outcome: 'invalid_token', count: 340 },
  ])
  await host.store.usage.addReported({ id: 'r', at }, [createReported(id, at, 'GET /')])
  await applications.rotateKey(id, { deliver: 'email', by: `contact:${CONTACT}` })
  await registration.register({ name: REGISTERED, contact: 'dev2@confidential.example', apis: { orders: {} } })

  /** What all pages and files say to which links lead from the first one. */
  async function readAll(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const open = ['/', '/applications', `/applications/${id}`, `/applications?q=${id}`, `/audit?application=${id}`]
    for (let path = open.pop(); path !== undefined && found.size < 200; path = open.pop()) {
      if (found.has(path)) continue
      const { text } = await host.get(path)
      found.set(path, text)
      for (const [, link = ''] of text.matchAll(/href="\/staff\/operator(\/[^"#]*)"/g))
        open.push(link.replaceAll('&amp;', '&'))
    }
    return found
  }
  const told = ({ text }: { readonly text: string }): string[] =>
    [NAME, CONTACT, REGISTERED, 'dev2@confidential.example'].filter((each) => text.includes(each))

  const shown = await readAll()
  expect([...shown.values()].flatMap((text) => told({ text }))).toEqual(
    expect.arrayContaining([NAME, CONTACT, REGISTERED]),
  )
  const filters = [`by=contact:${CONTACT}`, `by=${CONTACT}`, `application=${CONTACT}`, `application=${NAME}`]
  const listFinding = async (): Promise<string[]> => {
    const pages = await Promise.all(filters.map((filter) => host.get(`/audit?${filter}`)))
    return filters.filter((_, at) => pages[at]!.text.includes(`/applications/${id}`))
  }
  expect(await listFinding()).toEqual(filters)
  mayRead = false
  expect(await listFinding(), 'what is guessed').toEqual([])
  const left = await readAll()
  expect(left.size).toBeGreaterThan(8)
  // The totals of usage have names: whoever may read them may see them.
  for (const [path, text] of left) if (!path.startsWith('/usage')) expect([path, ...told({ text })]).toEqual([path])
})
