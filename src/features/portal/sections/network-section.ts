import { html, type Html } from '../../../shared/web/html.js'
import { offers, renderAction, renderRows, renderSection, type ApplicationView } from '../pages/view.js'

/** The networks from which the application may call; nothing where there are none, and contacts may give none. */
export function renderNetworks(view: ApplicationView): Html | false {
  const { record, link, texts } = view
  const { networks } = record
  const mayChange = offers(view, 'networks')
  if (!networks && !mayChange) return false
  const rows = (networks ?? []).map((network) => html`<li class="row"><code class="inline">${network}</code></li> `)
  return renderSection(
    'networks',
    texts.networks,
    texts.networksAbout,
    html`${renderRows(rows, texts.anyNetwork)}
    ${mayChange && html`<p class="actions foot">${renderAction(link(record.id, 'networks'), texts.changeNetworks, '')}</p>`}`,
  )
}
