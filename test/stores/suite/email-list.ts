import type { EmailQuery, QueuedEmail } from '../../../src/store.js'
import { email, NOW } from './records.js'
import { assertEqual, readPages, type TestCollector } from './suite.js'

/** The filters and the order of `emails.list()`. */
export function emailListContract({ describe, it }: TestCollector): void {
  describe('list of e-mails', () => {
    const emails = [
      email('later', { dueAt: NOW + 2, applicationId: 'b' }),
      email('first', { dueAt: NOW - 2, state: 'failed' }),
      email('tie 1', { dueAt: NOW + 1 }),
      email('tie 0', { dueAt: NOW + 1, applicationId: 'b', purpose: 'key' }),
      email('claim', { dueAt: NOW, state: 'claimable', applicationId: 'b', purpose: 'secret' }),
      email('held', { dueAt: 0, state: 'held' }),
      email('notice', { dueAt: NOW - 1, applicationId: 'b', purpose: 'rejected' }),
    ]

    const cases: readonly (readonly [string, Partial<EmailQuery>, readonly string[]])[] = [
      ['all e-mails', {}, ['held', 'first', 'notice', 'claim', 'tie 1', 'tie 0', 'later']],
      ['one state', { state: 'due' }, ['notice', 'tie 1', 'tie 0', 'later']],
      ['one application', { applicationId: 'b' }, ['notice', 'claim', 'tie 0', 'later']],
      ['one application and state', { applicationId: 'b', state: 'due' }, ['notice', 'tie 0', 'later']],
      ['one purpose', { purpose: 'key' }, ['tie 0']],
      ['a purpose without credentials', { purpose: 'rejected', state: 'due' }, ['notice']],
      ['one application and purpose', { applicationId: 'b', purpose: 'registration' }, ['later']],
      ['one application, purpose and state', { applicationId: 'b', purpose: 'secret', state: 'claimable' }, ['claim']],
      ['an application without e-mails', { applicationId: 'B' }, []],
      ['a few', { limit: 3 }, ['held', 'first', 'notice']],
      ['a few of one state', { state: 'due', limit: 2 }, ['notice', 'tie 1']],
    ]
    for (const [which, query, expected] of cases) {
      it(`of ${which} is ordered by dueAt`, async ({ saveEmails, listEmailIds }) => {
        for (const one of emails) await saveEmails([one])
        assertEqual(await listEmailIds(query), expected)
      })
    }

    it('goes on behind an e-mail, in pages of any size', async ({ saveEmails, listEmails, listEmailIds }) => {
      for (const one of emails) await saveEmails([one])
      for (const query of [{}, { state: 'due' }, { applicationId: 'b' }] as const) {
        const all = await listEmails(query)
        for (const limit of [1, 2, 7])
          assertEqual(
            await readPages<QueuedEmail>(limit, (after) => listEmails({ ...query, after, limit })),
            all,
            `pages of ${limit}`,
          )
      }
      const gone = { dueAt: NOW + 1, id: 'sent meanwhile' }
      assertEqual(await listEmailIds({ after: gone }), ['tie 1', 'tie 0', 'later'])
      assertEqual(await listEmailIds({ after: { ...gone, id: 'held' } }), ['later'])
    })
  })
}
