import type { ExplainedRefusal } from '../../../contracts/offers.js'
import { html, type Html } from '../../../web/html.js'
import { ownMembers } from '../../../lib/own-members.js'
import { renderRelativeTime } from '../pages/times.js'
import { renderSection, type ApplicationView } from '../pages/view.js'

/** The last refusals, each with its reason and fix. */
export function renderRefusals({ now }: ApplicationView, refusals: readonly ExplainedRefusal[]): Html {
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

function renderRefusal(refusal: ExplainedRefusal, now: number): Html {
  const { at, api, error, problem, fix, requestId, address } = ownMembers(refusal)
  return html`<li class="row">
    <div>
      <h3>${problem}</h3>
      <p>${fix}</p>
      <p class="facts">
        <span>${renderRelativeTime(at.getTime(), now)}</span> <span>${api}</span>
        <span><code class="inline">${error}</code></span>
        ${address !== undefined && html`<span>from ${address}</span>`}
        ${requestId !== undefined && html`<span>request <code class="inline">${requestId}</code></span>`}
      </p>
    </div>
  </li> `
}
