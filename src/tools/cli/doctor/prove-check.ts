import type { Store } from '../../../index.js'
import type { ApplicationRecord } from '../../../store.js'
import { formatTime } from '../format.js'
import { PROGRAM } from '../program.js'
import { MAX_LISTED, note, type Check } from './finding.js'

/** Names the applications that `prove` has left. They are known by their end, because anybody may choose their name. */
export const proveCheck: Check = {
  name: 'applications of prove',
  async run({ target: { store } }) {
    const left = await listTemporary(store!)
    if (left.length === 0) return []
    const last = Math.max(...left.map(({ endsAt }) => endsAt ?? 0))
    const ids = left.map(({ id }) => id).join(', ')
    return note(
      `prove created what is still there: ${ids}. It runs now, or was killed. Everything of these applications ends by itself at ${formatTime(last)} at the latest; a server deletes them within an hour of their end.`,
      `If no prove runs now: ${PROGRAM} apps delete ID`,
    )
  },
}

/** The applications that end by themselves. */
export function listTemporary(store: Store): Promise<readonly ApplicationRecord[]> {
  return store.listApplications({
    after: undefined,
    limit: MAX_LISTED,
    api: undefined,
    status: undefined,
    endingBefore: Number.MAX_SAFE_INTEGER,
  })
}
