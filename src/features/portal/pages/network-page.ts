import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderRows } from '../../../shared/web/parts.js'
import { isInNetworks, readNetwork } from '../../../shared/lib/networks.js'
import { FormProblem, type ActionPage } from './action-page.js'
import { renderField, renderFieldProblem, renderTextarea, describeField } from '../../../shared/web/form-field.js'
import { readField, type FormFields } from '../../../core/http/form.js'
import { type ApplicationView, isOffered, renderAction, renderSection } from './view.js'

export function createNetworksPage(view: ApplicationView): ActionPage {
  const { texts, record, address } = view
  const bound = record.withheld?.networks
  const hint = fillText(texts.networksHint, { examples: '203.0.113.0/24, 2001:db8::/32' })
  const isShut = address !== undefined && record.networks !== undefined && !isInNetworks(address, record.networks)
  return {
    action: 'networks',
    heading: texts.changeNetworks,
    button: texts.saveNetworks,
    render: (entered, problem) =>
      html`${address !== undefined && html`<p>${fillHtml(texts.yourAddress, { address: html`<code class="inline">${address}</code>` })}</p>`}
      ${bound && html`<p class="notice warn">${fillText(texts.networksWithin, { networks: bound.join(', ') })}</p>`}
      ${renderField({
        id: 'networks',
        label: texts.networks,
        hint: bound ? hint : `${hint} ${texts.networksEmpty}`,
        problem,
        render: (attributes) =>
          renderTextarea(
            html`${attributes} rows="5" spellcheck="false"`,
            entered.has('networks') ? readField(entered, 'networks') : (record.networks ?? []).join('\n'),
          ),
      })}
      ${
        problem?.field === 'anyway' &&
        html`${renderFieldProblem('anyway', problem)}
          <label class="choice">
            <input
              type="checkbox"
              id="anyway"
              name="anyway"
              value="yes"
              ${describeField('anyway', problem)}
              autofocus
            />
            <span>${texts.saveAnyway}</span>
          </label>`
      }`,
    async perform(entered, { applications, by }) {
      const lines = listLines(entered)
      const read = lines.map(readNetwork).filter((network) => typeof network === 'string')
      const wrong = lines.find((line) => typeof readNetwork(line) !== 'string')
      if (wrong !== undefined) {
        const text = wrong.slice(0, MAX_SHOWN_LENGTH)
        throw new FormProblem(fillText(texts.networkRefused, { text }), 'networks')
      }
      const networks = lines.length === 0 ? null : read
      // A list without the contact's own address is often a typing error, so the contact must confirm it.
      const shutsOut = address !== undefined && networks !== null && !isInNetworks(address, networks)
      if (shutsOut && !isShut && readField(entered, 'anyway') !== 'yes')
        throw new FormProblem(fillText(texts.shutsYouOut, { address }), 'anyway')
      await applications.update(record.id, { networks, by })
      return { done: 'networks' }
    },
  }
}

function listLines(entered: FormFields): readonly string[] {
  return readField(entered, 'networks')
    .split(/[\s,;]+/)
    .filter(Boolean)
}

const MAX_SHOWN_LENGTH = 50

export function renderNetworks(view: ApplicationView): Html | false {
  const { record, link, texts } = view
  const { networks } = record
  const mayChange = isOffered(view, 'networks')
  if (!networks && !mayChange) return false
  const rows = (networks ?? []).map((network) => html`<li class="row"><code class="inline">${network}</code></li> `)
  const beside = mayChange && renderAction(link(record.id, 'networks'), texts.changeNetworks, '')
  return renderSection(
    { id: 'networks', title: texts.networks, about: texts.networksAbout, beside },
    renderRows(rows, texts.anyNetwork),
  )
}
