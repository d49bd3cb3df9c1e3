import type { CountedRefusal } from '../../../contracts/offers.js'
import { html, type Html } from '../../../web/html.js'
import { ownMembers } from '../../../lib/own-members.js'
import { renderRelativeTime } from '../pages/times.js'
import { renderSection, type ApplicationView } from '../pages/view.js'

/** The last refusals, each with its reason and fix. */
export function renderRefusals({ now }: ApplicationView, refusals: readonly CountedRefusal[]): Html {
  return renderSection(
    'refusals',
    'Refusals',
    'The last refused requests of 7 days, and how to correct them.',
    refusals.length > 0
      ? html`<ul class="rows">
          ${refusals.map((refusal) => renderRefusal(refusal, now))}
        </ul>`
      : html`<p class="empty">No request was refused.</p>`,
  )
}

function renderRefusal(refusal: CountedRefusal, now: number): Html {
  const { at, count, api, error, problem, fix, route, requestId, address } = ownMembers(refusal)
  const time = renderRelativeTime(at.getTime(), now)
  return html`<li class="row">
    <div>
      <h3>${problem}</h3>
      <p>${fix}</p>
      <p class="facts">
        <span>${count > 1 ? html`${count} times, last ${time}` : time}</span>
        ${route !== undefined && html`<span><code class="inline">${route}</code></span>`} <span>${api}</span>
        <span><code class="inline">${error}</code></span>
        ${address !== undefined && html`<span>from ${address}</span>`}
        ${requestId !== undefined && html`<span>request <code class="inline">${requestId}</code></span>`}
      </p>
    </div>
  </li> `
}
