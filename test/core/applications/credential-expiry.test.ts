import { describe, expect, it } from 'vitest'
import { applyExpiry, findExpiring } from '../../../src/core/applications/credentials/credential-expiry.js'
import { findDueReminder, markReminded } from '../../../src/features/emails/reminders.js'
import type { CredentialRecord } from '../../../src/store.js'
import { application, credential as createStored } from '../../stores/suite/records.js'

const DAY_MS = 24 * 3600 * 1000
const REMIND_BEFORE = [30, 14, 7, 1]

function createCredential(changed: Partial<CredentialRecord> = {}): CredentialRecord {
  return createStored('hash', { id: 'cred_1', createdAt: 0, ...changed })
}

/** The credential after its expiry was set at that time. */
function withExpiry(former: CredentialRecord, expiresAt: number, now: number): CredentialRecord {
  const stored = application('a', { keys: [former] })
  return applyExpiry(undefined, stored, { ...stored, keys: [{ ...former, expiresAt }] }, now).keys[0]!
}

describe('the reminder that is due', () => {
  const expiresAt = 100 * DAY_MS
  const credential = withExpiry(createCredential(), expiresAt, 0)

  it('is none of those that are added to the options when their time has passed', () => {
    const short = withExpiry(createCredential(), 20.5 * DAY_MS, 0)
    expect(findDueReminder(short, [25, 21], 0)).toBeUndefined()
    expect(findDueReminder(short, [25, 20], 0.5 * DAY_MS)).toBe(20)
  })

  it('starts again when the expiry changes, and not when it stays', () => {
    const marked = markReminded(credential, REMIND_BEFORE, expiresAt - 5 * DAY_MS)
    expect(withExpiry(marked, expiresAt, 95 * DAY_MS)).toEqual(marked)
    const longer = withExpiry(marked, 140 * DAY_MS, 96 * DAY_MS)
    expect(findDueReminder(longer, REMIND_BEFORE, 96 * DAY_MS)).toBeUndefined()
    expect(findDueReminder(longer, REMIND_BEFORE, 110 * DAY_MS)).toBe(30)
  })

  it('counts from the creation for a credential whose expiry an earlier version has set', () => {
    const earlier = createCredential({ expiresAt: 20 * DAY_MS })
    expect(findDueReminder(earlier, REMIND_BEFORE, 0)).toBeUndefined()
    expect(markReminded(earlier, REMIND_BEFORE, 0).remindedDays).toBe(20)
    expect(findDueReminder(earlier, REMIND_BEFORE, 6 * DAY_MS)).toBe(14)
  })
})

describe('a credential that is about to expire', () => {
  const now = 50
  const former = createCredential({ id: 'cred_old', expiresAt: 100 })
  const find = (...keys: readonly CredentialRecord[]) => findExpiring({ keys, secrets: [] }, former.id, now)

  it('has no replacement in a credential of another name, an older one, or one that has expired', () => {
    const used = createCredential({ id: 'cred_new', lastUsedAt: 40 })
    expect(find({ ...used, name: 'warehouse' }, former)?.replacement).toBeUndefined()
    expect(find(former, used)?.replacement).toBeUndefined()
    expect(find({ ...used, expiresAt: now }, former)?.replacement).toBeUndefined()
  })
})
