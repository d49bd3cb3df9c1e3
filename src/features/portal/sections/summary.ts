import type { PlanUsage, UsageEntry } from '../../../shared/contracts/usage-entries.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import type { Html } from '../../../shared/web/html.js'
import { renderTiles } from '../../../shared/web/parts.js'
import { renderRelativeTime } from '../../../shared/web/times.js'
import { describeRefused, findFullestQuota, findQuotaTone, sumUsage } from '../../../shared/web/usage-figures.js'
import { getFormats } from '../../../shared/web/formats.js'
import type { ApplicationView } from '../pages/view.js'
import { EXPIRY_NOTICE_MS, listCredentials } from './credential-section.js'

export function renderSummary(view: ApplicationView, usage: readonly UsageEntry[] | undefined, plan?: PlanUsage): Html {
  const { record, now, texts } = view
  const { count } = getFormats(texts.language)
  const sum = sumUsage(usage ?? [])
  const quota = findFullestQuota(plan)
  const [next] = listCredentials(record, now)
    .flatMap(({ kind, credential: { name, expiresAt } }) =>
      expiresAt === undefined ? [] : [{ kind, name, expiresAt }],
    )
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
  return renderTiles([
    ...(usage === undefined
      ? []
      : [
          { label: texts.callsOfMonth, value: count.format(sum.calls) },
          describeRefused(texts.refusedOfMonth, sum, texts.language),
        ]),
    {
      label: texts.quotaLeft,
      value: quota === undefined ? texts.noQuota : count.format(quota.left),
      note: quota && fillText(texts.quotaOf[quota.per], { limit: count.format(quota.limit) }),
      tone: quota && findQuotaTone(quota),
    },
    {
      label: texts.endsNext,
      value: next === undefined ? texts.doesNotExpire : renderRelativeTime(next.expiresAt, now, texts),
      note: next && fillText(texts.value[next.kind], { name: next.name }),
      tone: next && next.expiresAt - now < EXPIRY_NOTICE_MS ? 'warn' : undefined,
    },
  ])
}
