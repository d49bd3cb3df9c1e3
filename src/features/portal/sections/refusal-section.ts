import type { CountedRefusal } from '../../../shared/contracts/usage-entries.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderEmpty } from '../../../shared/web/parts.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { renderRelativeTime } from '../pages/times.js'
import { renderRows, renderSection, type ApplicationView } from '../pages/view.js'

/** The last refusals, each with its reason and fix. */
export function renderRefusals(view: ApplicationView, refusals: readonly CountedRefusal[]): Html {
  const { texts } = view
  return renderSection(
    'refusals',
    texts.refusals,
    texts.refusalsAbout,
    refusals.length === 0
      ? renderEmpty({ title: texts.noRefusal, isGood: true })
      : renderRows(
          refusals.map((refusal) => renderRefusal(refusal, view)),
          texts.noRefusal,
        ),
  )
}

function renderRefusal(refusal: CountedRefusal, { now, texts }: ApplicationView): Html {
  const { at, count, api, error, problem, fix, route, requestId, address } = ownMembers(refusal)
  const time = renderRelativeTime(at.getTime(), now, texts)
  return html`<li class="row">
    <div>
      <h3>${problem}</h3>
      <p>${fix}</p>
      <p class="facts">
        <span>${count > 1 ? fillHtml(texts.times, { count, time }) : time}</span>
        ${route !== undefined && html`<span><code class="inline">${route}</code></span>`} <span>${api}</span>
        <span><code class="inline">${error}</code></span>
        ${address !== undefined && html`<span>${fillText(texts.from, { address })}</span>`}
        ${requestId !== undefined && html`<span>${fillHtml(texts.requestId, { id: html`<code class="inline">${requestId}</code>` })}</span>`}
      </p>
    </div>
  </li> `
}
