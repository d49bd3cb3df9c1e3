import type { RedisScript } from '../../core/rate-limits/redis-counter.js'
import { readUsed, setShared, type Account } from './ledger.js'

/**
 * Counts units in all windows of an account by one command, unless a limit has too few left, or Redis has nothing of a quota: a day or month
 * has begun, or Redis has lost its data. Then the store must have told its totals, unless `isStoreFailing`. Resolves undefined while
 * Redis is unavailable. The account gets what Redis has.
 */
export type CountShared = (
  account: Account,
  units: number,
  time: number,
  isStoreFailing: boolean,
) => Promise<'counted' | 'refused' | 'askStore' | undefined>

/**
 * KEYS: one for each window. ARGV: the units, and 1 if what the store has is known; then for each window its limit (-1 if it is soft), the
 * milliseconds to its end, and the units that the store has, -1 if it has none of that window: a Redis that has lost data goes on from there.
 * Answers 1 or 0, then the units and milliseconds left; or 2 alone if the store must be asked first.
 */
export const COUNT_WINDOWS = `
local units, counted, answer, counts = tonumber(ARGV[1]), 1, {}, {}
for i, key in ipairs(KEYS) do
  local limit, stored, shared = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 2]), redis.call('GET', key)
  if not shared and stored >= 0 and ARGV[2] ~= '1' then return {2} end
  counts[i] = math.max(tonumber(shared or '0'), stored)
  if limit >= 0 and counts[i] + units > limit then counted = 0 end
end
for i, key in ipairs(KEYS) do
  local left = redis.call('PTTL', key)
  if left <= 0 then left = tonumber(ARGV[3 * i + 1]) end
  if counted == 1 then
    counts[i] = counts[i] + units
    redis.call('SET', key, string.format('%.0f', counts[i]), 'PX', string.format('%.0f', left))
  end
  answer[2 * i] = counts[i]
  answer[2 * i + 1] = left
end
answer[1] = counted
return answer
`

export function createCountShared(script: RedisScript): CountShared {
  return async function countShared(account, units, time, isStoreFailing) {
    // The braces keep the keys of an application in one slot of a cluster.
    const prefix = `{${account.applicationId}}`
    const { day, windows } = account
    const keys = windows.map(({ window: { name, per } }) =>
      per === undefined ? `${prefix}:${name}` : `${prefix}:${per === 'day' ? day : day.slice(0, 7)}`,
    )
    const args = windows.flatMap((counted) => {
      const { limit, soft, per, milliseconds } = counted.window
      return [
        soft ? -1 : limit,
        per === undefined ? milliseconds : counted.endsAt - time,
        per === undefined ? -1 : readUsed(account, counted),
      ]
    })
    const isStoreKnown = account.isStoredCurrent || isStoreFailing ? 1 : 0
    const answer = (await script(keys, [units, isStoreKnown, ...args])) as readonly number[] | undefined
    if (!answer) return undefined
    if (answer[0] === 2) return 'askStore'
    windows.forEach((counted, at) => {
      if (account.windows !== windows || (counted.window.per !== undefined && account.day !== day)) return
      setShared(account, counted, answer[2 * at + 1]!, time + answer[2 * at + 2]!)
    })
    return answer[0] === 1 ? 'counted' : 'refused'
  }
}
