import type { Application } from '../../index.js'
import { DAY_MS } from '../../shared/lib/day.js'
import { fillCount, fillIn } from '../../shared/lib/fill-in.js'
import { html, type Html } from '../../shared/web/html.js'
import { renderNotice } from '../../shared/web/parts.js'
import { readUsage, sumUsage } from './figures.js'
import { renderTime } from './formats.js'
import { getFormats } from '../../shared/web/formats.js'
import type { Site, Visit } from './visit.js'

const DAYS = 7

/** Whom an action would hit, told from the last 7 days: calls, the credentials that were used, and when the last one was. */
export async function renderHits(
  site: Site,
  visit: Visit,
  application: Application,
  hits: 'application' | 'api' | 'credential',
): Promise<Html> {
  const { texts, query, language, now } = visit
  const [api, id] = [query.get('api'), query.get('credential')]
  const all = [...application.keys, ...application.secrets]
  const listed = hits === 'credential' && id !== null ? all.filter((each) => each.id === id) : all
  const used = listed.filter(({ lastUsedAt }) => lastUsedAt && now - lastUsedAt.getTime() < DAYS * DAY_MS)
  const last = used
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .toSorted((one, other) => other.getTime() - one.getTime())[0]
  const usage = await readUsage(site, visit, application.id, DAYS)
  const { calls } = sumUsage((usage ?? []).filter((entry) => hits !== 'api' || entry.api === api))
  if (calls === 0 && !last) return renderNotice(texts.hitsNobody, 'good')
  const { count } = getFormats(language)
  const time = last ? renderTime(last, visit) : texts.never
  // Calls are counted for the application, not for each of its credentials.
  const text = hits === 'credential' ? texts.hitsCredential : texts.hits
  return renderNotice(
    html`<p>
      <strong
        >${fillIn<string | Html>(text, { calls: fillCount(texts.callCount, calls, count.format(calls)), credentials: count.format(used.length), time })}</strong
      >
    </p>`,
    'warn',
  )
}
