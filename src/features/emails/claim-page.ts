import type { CredentialsEmail } from '../../shared/contracts/email-content.js'
import type { ApplicationRecord, Language } from '../../shared/contracts/application-record.js'
import type { Api } from '../../shared/contracts/api.js'
import type { IssuedCredentials } from '../../core/applications/applications-api.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { formatEnvFile } from '../../shared/samples/env-file.js'
import { COPY_SCRIPT } from '../../shared/web/copy-script.js'
import { renderCopyable, renderFirstCalls } from '../../shared/web/first-steps.js'
import { html, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { renderEmpty } from '../../shared/web/parts.js'
import { createContentSecurityPolicy, renderPage, type PageLinks } from '../../shared/web/public-page.js'
import { formatTime } from './layout.js'
import { TEXTS } from './texts/languages.js'

export interface ClaimedCredentials {
  readonly application: Pick<ApplicationRecord, 'id' | 'name' | 'language'>
  readonly usableAt: readonly Api[]
  readonly credentials: Partial<IssuedCredentials>
  readonly provesKey: boolean
  readonly expiresAt: CredentialsEmail['expiresAt']
}

/** `GET /claim`: shows credentials on a click. The claim token stays in the browser until then. */
export function renderClaimPage(links: PageLinks, language: Language): string {
  const texts = TEXTS[language].claim
  const { incomplete, limited, failed, refusedHeading: refused } = texts
  const { portalUrl, brand } = links
  const { supportUrl } = brand
  const problems = JSON.stringify({ incomplete, refused, limited, failed })
  return renderPage(
    texts.heading,
    links,
    html`<div id="claim" class="box" data-problems="${problems}">
        <div id="ask">
          <p>${texts.beforehand}</p>
          <p><button id="show">${texts.show}</button></p>
        </div>
        <p id="problem" class="problem" role="alert" tabindex="-1" hidden></p>
        <div id="refused" role="alert" tabindex="-1" hidden>
          ${renderEmpty({ drawing: 'alert', next: texts.refused }, html`<p>${texts.refusedMeans}</p>`)}
          ${(portalUrl ?? supportUrl) !== undefined && html`<p class="actions">${portalUrl !== undefined && html`<a class="button" href="${portalUrl}">${texts.signIn}</a>`} ${supportUrl !== undefined && html`<a class="button${portalUrl !== undefined && ' quiet'}" href="${supportUrl}">${texts.askForHelp}</a>`}</p>`}
        </div>
        <div id="done" role="status" tabindex="-1"></div>
        <div id="credentials" hidden></div>
        <div id="next"></div>
      </div>
      <noscript><p>${texts.needsScripts}</p></noscript>`,
    { script: CLAIM_SCRIPT, style: 'code', language },
  )
}

export function renderClaimed(
  { application, usableAt, credentials, expiresAt, provesKey }: ClaimedCredentials,
  { developersUrl, portalUrl }: PageLinks,
  language: Language,
): string {
  const texts = TEXTS[language].claim
  const frame = FRAME_TEXTS[language]
  const { clientId: key, clientSecret: secret } = credentials
  const ends = [
    ...(expiresAt.clientId ? [fillText(texts.keyExpires, { time: formatTime(expiresAt.clientId, language) })] : []),
    ...(expiresAt.clientSecret
      ? [fillText(texts.secretExpires, { time: formatTime(expiresAt.clientSecret, language) })]
      : []),
  ]
  const issued = { key, clientId: key ?? application.id, secret, provesKey }
  const file = encodeURIComponent(formatEnvFile(usableAt, issued, ends))
  const renderValue = (label: string, value: string | undefined, end: Date | undefined): Html | false =>
    value !== undefined && html`${renderCopyable(label, value, frame)} ${end && renderEnd(end, language)}`
  const { markup } = html`<div lang="${language}">
      <p>${fillText(texts.done, { name: application.name })} ${ends.length === 0 && texts.expiresNever}</p>
      <p class="notice">${texts.store}</p>
    </div>
    <div lang="${language}">
      ${renderValue(texts.key, key, expiresAt.clientId)} ${renderValue(texts.secret, secret, expiresAt.clientSecret)}
    </div>
    <div lang="${language}">
      ${key === undefined && renderCopyable(texts.applicationId, application.id, frame)}
      <p class="actions">
        <a class="button quiet" download="${application.id}.env" href="data:text/plain;charset=utf-8,${file}"
          >${frame.downloadEnv}</a
        >
      </p>
      ${usableAt.length > 0 && renderFirstCalls({ apis: usableAt, credentials: issued, developersUrl, texts: frame })}
      ${portalUrl !== undefined && html`<p class="actions"><a class="button" href="${portalUrl}">${texts.stored}</a></p>`}
    </div>`
  return markup
}

function renderEnd(end: Date, language: Language): Html {
  const texts = TEXTS[language].claim
  return html`<p>${texts.expires} <time datetime="${end.toISOString()}">${formatTime(end, language)}</time></p>`
}

/** Sends the token on a click only. A link that is followed in the same tab changes only the fragment. Credentials shown once stay. */
const CLAIM_SCRIPT = `const byId = (id) => document.getElementById(id)
const problems = JSON.parse(byId('claim').dataset.problems)
let token = ''
const heading = document.title
function setHeading(text) { document.title = document.querySelector('h1').textContent = text }
function follow() {
  if (!location.hash) return
  token = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  byId('problem').hidden = byId('refused').hidden = true
  byId('ask').hidden = byId('show').hidden = byId('show').disabled = false
  setHeading(heading)
}
addEventListener('hashchange', follow)
follow()
byId('show').addEventListener('click', async () => {
  const sent = token
  byId('show').disabled = true
  const fail = (problem, again) => {
    if (sent !== token) return
    byId('show').disabled = !again
    const isRefused = problem === 'refused'
    byId('problem').textContent = problems[problem]
    byId('problem').hidden = isRefused
    if (again) return byId('show').focus()
    byId('ask').hidden = true
    byId('refused').hidden = !isRefused
    if (isRefused) setHeading(problems.refused)
    byId(isRefused ? 'refused' : 'problem').focus()
  }
  if (!sent) return fail('incomplete', false)
  try {
    const response = await fetch(location.pathname, {
      method: 'POST', credentials: 'omit', cache: 'no-store',
      headers: { 'Content-Type': 'application/json', Accept: 'text/html' }, body: JSON.stringify({ token: sent }),
    })
    if (response.status === 400) return fail('refused', false)
    if (!response.ok) return fail(response.status === 429 ? 'limited' : 'failed', true)
    const [done, values, next] = new DOMParser().parseFromString(await response.text(), 'text/html').body.children
    byId('credentials').append(values)
    byId('next').append(next)
    for (const part of [values, next]) part.querySelectorAll('.copy').forEach(enableCopying)
    byId('credentials').hidden = false
    if (sent === token) byId('ask').hidden = byId('show').hidden = true
    // The text is announced, and stands in place of the button, which had the focus.
    byId('done').lang = done.lang
    byId('done').replaceChildren(...done.children)
    byId('done').focus()
  } catch {
    fail('failed', true)
  }
})
${COPY_SCRIPT}`

export const CLAIM_SECURITY_POLICY = createContentSecurityPolicy(CLAIM_SCRIPT, 'code')
