/** The page of all parts of make.mjs: what every page is made of, to compare after a change of src/shared/web. */
import { html } from '../../dist/modules/shared/web/html.js'
import { LOOK_CSS } from '../../dist/modules/shared/web/look.js'
import {
  PARTS_CSS,
  renderBar,
  renderCard,
  renderChip,
  renderEmpty,
  renderMethod,
  renderNotice,
  renderPill,
  renderProperty,
  renderRows,
  renderTable,
  renderTiles,
} from '../../dist/modules/shared/web/parts.js'
import { renderDays } from '../../dist/modules/shared/web/usage-figures.js'

const TONES = /** @type {const} */ (['info', 'good', 'warn', 'bad', 'other'])
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
const DAYS = Array.from({ length: 30 }, (_, at) => ({
  day: `2026-11-${String(at + 1).padStart(2, '0')}`,
  allowed: 900 + 37 * (at % 9),
  refused: at === 21 ? 240 : at % 7,
}))

const PARTS = html`<h1>Parts of pages</h1>
  <p>
    ${METHODS.map((each) => html`${renderMethod(each)} `)} ${TONES.map((each) => html`${renderPill(each, each)} `)}
    ${renderPill('plain')} ${renderChip('orders:write')} <a class="button" href="#a">Button</a>
    <a class="button danger" href="#b">Danger</a>
  </p>
  ${renderTiles([
    { label: 'Calls in 30 days', value: '33,062' },
    { label: 'Refused in 30 days', value: '566', note: '1.7 %' },
    { label: 'Quota left', value: '120', note: '/ 1,000, this month', tone: 'warn' },
    { label: 'Ends next', value: 'in 3 days', note: 'till, Key', tone: 'bad' },
  ])}
  ${renderBar('40 %', 40, 100)} ${renderBar('85 %', 85, 100)} ${renderBar('100 %', 100, 100)}
  ${TONES.map((each) => renderNotice(html`<p>A notice that is ${each}.</p>`, each))}
  ${renderCard(
    { title: 'A card', actions: html`<a class="button" href="#c">Action</a>` },
    renderRows([
      html`<li class="row">
        <div>A row, and its part at the right</div>
        ${renderPill('active', 'good')}
      </li>`,
      html`<li>Another row</li>`,
    ]),
  )}
  <ul class="properties">
    ${renderProperty({ name: 'quantity', about: html`integer ${renderPill('required', 'bad')} <span>1 to 1000</span>` }, html`<p>How many.</p>`)}
    ${renderProperty({ name: 'grade', isOld: true, about: html`string ${renderChip('A')} ${renderChip('B')}` })}
  </ul>
  ${renderDays({ id: 'plot', label: 'Requests', countsOfDay: '{day}: {allowed} allowed, {refused} refused' }, DAYS, 'en')}
  ${renderTable(
    'Applications',
    [{ title: 'Application' }, { title: 'Calls', isNumber: true }],
    [
      ['Till', '33,062'],
      ['Scales', '12'],
    ],
  )}
  ${renderCard({ title: 'Nothing to do' }, renderEmpty({ title: 'No request was refused.', isGood: true }))}
  ${renderCard({ title: 'Nothing yet' }, renderEmpty({ title: 'No calls yet' }, html`<p>Make the first one.</p>`))}
  <figure>
    <figcaption>Code</figcaption>
    <pre><code>curl -H "X-Api-Key: $API_KEY" https://api.example.com/catalog</code></pre>
  </figure>
  ${renderCard({ title: 'Delete', isDanger: true }, html`<p class="inside">This cannot be undone. <a class="button danger" href="#d">Delete it</a></p>`)}`

/** @param {import('playwright-core').Page} page */
export async function showParts(page) {
  const style = `${LOOK_CSS}${PARTS_CSS}main { display: grid; gap: 1.25rem; padding: 2rem 0 } :root { --page: 60rem } main { container-type: inline-size } main > * { margin-block: 0 }`
  // The policy of the page before would forbid the style.
  await page.goto('about:blank')
  await page.setContent(`<!doctype html><title>Parts</title><style>${style}</style><main>${PARTS.markup}</main>`)
}
