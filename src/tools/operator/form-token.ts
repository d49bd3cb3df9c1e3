import { createHmac, timingSafeEqual } from 'node:crypto'

/** For how long a page may stay open before its form is sent. */
const LIFETIME_MS = 12 * 3_600_000

/**
 * The token of a form, against forms of other sites: it is bound to the operator, the page and the time at which the page was shown. The
 * key is derived at each use, because the session secret may be replaced, which ends all forms.
 */
export function createFormTokens({ getKey, now }: { readonly getKey: () => Uint8Array; readonly now: () => number }) {
  function sign(operator: string, page: string, time: string): Buffer {
    return createHmac('sha256', getKey())
      .update(JSON.stringify([operator, page, time]))
      .digest()
  }

  return {
    create(operator: string, page: string): string {
      const time = String(now())
      return `${time}.${sign(operator, page, time).toString('base64url')}`
    },
    check(token: string, operator: string, page: string): boolean {
      const [, time, mac] = /^(\d{1,15})\.([\w-]{43})$/.exec(token) ?? []
      if (time === undefined || mac === undefined) return false
      const presented = Buffer.from(mac, 'base64url')
      const expected = sign(operator, page, time)
      const isRight = presented.length === expected.length && timingSafeEqual(presented, expected)
      const age = now() - Number(time)
      return isRight && age >= 0 && age <= LIFETIME_MS
    },
  }
}
