import type { PlanUsage } from '../../../shared/contracts/plan-usage.js'
import type { UsageEntry } from '../../../shared/contracts/usage-entries.js'
import type { Html } from '../../../shared/web/html.js'
import { renderTiles } from '../../../shared/web/parts.js'
import { renderRelativeTime } from '../pages/times.js'
import { getFormats } from '../../../shared/web/formats.js'
import type { ApplicationView } from '../pages/view.js'
import { EXPIRY_NOTICE_MS, listCredentials } from './credential-section.js'

/** Calls and refused ones, as people read them. */
export function sumUsage(usage: readonly UsageEntry[]): { readonly calls: number; readonly refused: number } {
  const refused = usage.flatMap((each) => Object.values(each.refused)).reduce((sum, count) => sum + count, 0)
  return { calls: usage.reduce((sum, { allowed }) => sum + allowed, refused), refused }
}

interface Summary {
  readonly usage: readonly UsageEntry[] | undefined
  readonly plan: PlanUsage | undefined
}

/** How the application does, in four numbers: calls and refused ones of 30 days, what is left of its quota, and what ends next. */
export function renderSummary({ record, now, texts }: ApplicationView, { usage, plan }: Summary): Html {
  const { count, percent } = getFormats(texts.language)
  const { calls, refused } = sumUsage(usage ?? [])
  const [quota] = (plan?.quotas ?? []).toSorted((a, b) => a.left / a.limit - b.left / b.limit)
  const ends = listCredentials(record, now)
    .flatMap(({ kind, credential: { name, expiresAt } }) =>
      expiresAt === undefined ? [] : [{ kind, name, expiresAt }],
    )
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
  const [next] = ends
  return renderTiles([
    ...(usage === undefined
      ? []
      : [
          { label: texts.callsOfMonth, value: count.format(calls) },
          {
            label: texts.refusedOfMonth,
            value: count.format(refused),
            note: calls > 0 && percent.format(refused / calls),
            tone: refused * 10 > calls ? ('bad' as const) : undefined,
          },
        ]),
    {
      label: texts.quotaLeft,
      value: quota === undefined ? texts.noQuota : count.format(quota.left),
      note: quota && `/ ${count.format(quota.limit)}, ${quota.per === 'day' ? texts.today : texts.thisMonth}`,
      tone:
        quota === undefined ? undefined : quota.left === 0 ? 'bad' : quota.left * 5 <= quota.limit ? 'warn' : undefined,
    },
    {
      label: texts.endsNext,
      value: next === undefined ? texts.nothingEnds : renderRelativeTime(next.expiresAt, now, texts),
      note: next && `${next.name}, ${texts.kinds[next.kind]}`,
      tone: next && next.expiresAt - now < EXPIRY_NOTICE_MS ? 'warn' : undefined,
    },
  ])
}
