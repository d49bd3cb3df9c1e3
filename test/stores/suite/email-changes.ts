import assert from 'node:assert/strict'
import type { EmailChange, StoreWith } from '../../../src/store.js'
import { application, audit, credential, email, fullEmail, NOW } from './records.js'
import { assertEqual, type TestCollector, type TestContext } from './suite.js'

/** `saveApplication()` with an `EmailChange`. */
export function emailChangesContract({ describe, it }: TestCollector): void {
  describe('application saved with an e-mail change', () => {
    async function saveWith(
      store: StoreWith,
      change: EmailChange | readonly EmailChange[],
      version = 2,
    ): Promise<boolean> {
      const record = application('a', { version, name: `version ${version}`, keys: [credential(`k${version}`)] })
      return store.saveApplication(record, audit('a'), ...[change].flat())
    }

    /** Everything that a refused save must leave unchanged. */
    async function readEverything({ store, listEmails, listAudit }: TestContext): Promise<unknown> {
      return {
        application: await store.findApplication('a'),
        found: await store.findApplicationByKey('k2'),
        emails: await listEmails(),
        claimed: await store.emails.findByClaimLink('c'),
        audit: await listAudit(),
        feed: await store.changesSince(undefined),
      }
    }

    it('saves both in one transaction', async ({ store, other, listEmails, listEmailIds }) => {
      const { cursor } = await store.changesSince(undefined)
      assert.equal(await saveWith(store, { save: { ...fullEmail, applicationId: 'a' } }, 1), true)
      assert.equal((await other.findApplication('a'))?.version, 1)
      assertEqual(await other.emails.findByClaimLink('c1'), { ...fullEmail, applicationId: 'a' })
      assertEqual((await store.changesSince(cursor)).changes, [{ kind: 'application', id: 'a' }])
      assert.equal(await saveWith(store, { save: email('full', { version: 2 }) }), true)
      assertEqual(await listEmails(), [email('full', { version: 2 })])
      assert.equal(await saveWith(store, { save: email('another') }, 3), true)
      assertEqual(await listEmailIds(), ['full', 'another'])
    })

    it('removes the e-mail and its claim links', async ({ store, saveEmails, listEmailIds }) => {
      await saveWith(store, { save: email('l', { claimLinks: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await saveEmails([email('another')])
      assert.equal(await saveWith(store, { remove: email('l') }), true)
      assertEqual(await listEmailIds(), ['another'])
      assert.equal(await store.emails.findByClaimLink('c'), undefined)
      assertEqual(await saveEmails([email('l')]), [true])
      assert.equal(await store.emails.findByClaimLink('c'), undefined)
    })

    it('removes all e-mails of the application, and no others', async ({ store, saveEmails, listEmailIds }) => {
      await saveWith(store, { save: email('l1', { claimLinks: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
      await saveEmails([
        email('l2', { state: 'held' }),
        email('l3', { leasedUntil: NOW + 1 }),
        email('l5', { purpose: 'invitation', recipient: 'b@example.com' }),
        email('l4', { applicationId: 'b' }),
      ])
      assert.equal(await saveWith(store, 'removeAll'), true)
      assertEqual(await listEmailIds(), ['l4'])
      assert.equal(await store.emails.findByClaimLink('c'), undefined)
      assert.equal(await saveWith(store, 'removeAll', 3), true)
    })

    it('makes the changes of several e-mails', async ({ store, listEmails }) => {
      await saveWith(store, [{ save: email('l1') }, { save: email('l2') }, { save: email('l3') }], 1)
      assert.equal(
        await saveWith(store, [{ remove: email('l1') }, { save: email('l2', { version: 2, state: 'suspended' }) }]),
        true,
      )
      assertEqual(await listEmails(), [email('l2', { version: 2, state: 'suspended' }), email('l3')])
    })

    const cases: readonly (readonly [string, EmailChange | readonly EmailChange[], number])[] = [
      [
        'one of several e-mails is stale',
        [{ save: email('l', { version: 3 }) }, { save: email('new') }, { remove: email('nowhere') }],
        2,
      ],
      ["the application's version is stale", { save: email('l', { version: 3 }) }, 1],
      ["the application's version is stale and its e-mails would be removed", 'removeAll', 3],
      ["the e-mail's version is stale", { save: email('l', { version: 2, state: 'failed' }) }, 2],
      ['the e-mail exists already', { save: email('l', { claimLinks: [{ hash: 'new', expiresAt: NOW }] }) }, 2],
      ['the e-mail to save does not exist', { save: email('nowhere', { version: 2 }) }, 2],
      ['the version of the e-mail to remove is stale', { remove: email('l') }, 2],
      ['the version of the e-mail to remove is newer than the stored one', { remove: email('l', { version: 3 }) }, 2],
      ['the e-mail to remove does not exist', { remove: email('nowhere') }, 2],
    ]
    for (const [what, change, version] of cases) {
      it(`changes nothing if ${what}`, async (context) => {
        const { store, saveEmails } = context
        await saveWith(store, { save: email('l', { claimLinks: [{ hash: 'c', expiresAt: NOW }] }) }, 1)
        await saveEmails([email('l', { version: 2, claimLinks: [{ hash: 'c', expiresAt: NOW }] })])
        const before = await readEverything(context)
        assert.equal(await saveWith(store, change, version), false)
        assertEqual(await readEverything(context), before)
      })
    }
  })
}

/** `EmailChange` of applications that cannot be saved. */
export function emailConflictsContract({ describe, it }: TestCollector): void {
  describe('application saved with an e-mail change', () => {
    it('saves no e-mail if the application cannot be saved', async ({ store, save, listEmails }) => {
      await save('owner', { keys: [credential('taken')] })
      const bad = application('a', { keys: [credential('taken')] })
      const saving = store.saveApplication(bad, audit('a'), { save: email('l') })
      await assert.rejects(saving)
      assertEqual(await listEmails(), [])
    })

    it('either removes the e-mail or lets a concurrent caller lease it', async ({ store, other, saveEmails }) => {
      for (let round = 0; round < 10; round++) {
        const id = `l${round}`
        await saveEmails([email(id)])
        const [removed, leased] = await Promise.all([
          other.saveApplication(application('a', { version: round + 1 }), undefined, { remove: email(id) }),
          store.emails.lease(NOW, NOW + 1),
        ])
        assertEqual(
          { removed, leased: leased?.id },
          removed ? { removed, leased: undefined } : { removed: false, leased: id },
        )
        if (!removed) {
          const remove = email(id, { version: 2 })
          assert.equal(
            await store.saveApplication(application('a', { version: round + 1 }), undefined, { remove }),
            true,
          )
        }
      }
    })
  })
}
