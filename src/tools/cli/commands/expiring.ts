import type { Application, CredentialInfo } from '../../../index.js'
import { UsageError } from '../errors.js'
import { formatTime } from '../format.js'

const UNITS = { d: 24 * 3600 * 1000, h: 3600 * 1000 } as const
const MAX_DIGITS = 5

/** The value of `--expiring`, such as `30d`: the time until which credentials expire. */
export function readExpiring(value: string): Date {
  const [, digits = '', unit = ''] = new RegExp(`^(\\d{1,${MAX_DIGITS}})([dh])$`).exec(value) ?? []
  if (digits === '') {
    throw new UsageError(`--expiring is "${value}". Write days or hours, such as 30d or 12h.`, 'apps list')
  }
  return new Date(Date.now() + Number(digits) * UNITS[unit as keyof typeof UNITS])
}

/** Lists applications with credentials that expire before that time: each with the first one that does. */
export function formatExpiringBefore(time: Date): {
  headings: readonly string[]
  formatRow(application: Application): readonly string[]
  empty: string
} {
  return {
    headings: ['id', 'name', 'status', 'contact', 'expires', 'credential'],
    formatRow({ id, name, status, contact, keys, secrets }) {
      const expiring = [...listExpiring('key', keys, time), ...listExpiring('secret', secrets, time)].toSorted(
        (one, other) => one.expiresAt - other.expiresAt,
      )
      const [first] = expiring
      const more = expiring.length > 1 ? ` and ${expiring.length - 1} more` : ''
      return [id, name || '-', status, contact ?? '-', formatTime(first?.expiresAt), `${first?.label ?? '-'}${more}`]
    },
    empty: `No credential expires before ${formatTime(time)}.`,
  }
}

function listExpiring(
  kind: 'key' | 'secret',
  credentials: readonly CredentialInfo[],
  before: Date,
): { expiresAt: number; label: string }[] {
  return credentials.flatMap(({ name, prefix, expiresAt }) =>
    expiresAt && expiresAt < before
      ? [{ expiresAt: expiresAt.getTime(), label: `${kind} ${name} (${prefix}...)` }]
      : [],
  )
}
