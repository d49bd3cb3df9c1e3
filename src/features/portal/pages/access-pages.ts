import { isWithheld } from '../../../applications/records/withheld.js'
import { html, type Html } from '../../../web/html.js'
import { FormProblem, renderActionForm, type ActionPage } from './action-page.js'
import { findRequestable, type PortalApi } from '../sections/api-section.js'
import { readField } from '../form-fields.js'
import type { ApplicationView } from './view.js'

/** Requests an API, or further scopes there; undefined if there is nothing to request. */
export function createRequestPage(view: ApplicationView, api: PortalApi | undefined): ActionPage | undefined {
  const requestable = api && findRequestable(api, view)
  if (!requestable) return undefined
  const { name, title, description, registration, scopes: meanings } = api
  const { scopes } = requestable
  return {
    action: 'requestAccess',
    heading: `Request ${title}`,
    render: (entered) =>
      renderActionForm(view, {
        button: 'Request access',
        content: html`${description !== undefined && html`<p>${description}</p>`}
          <p>${explainApproval(registration === 'manual', isWithheld(view.record, name, scopes))}</p>
          ${scopes.length > 0 && renderScopeChoices(scopes, meanings, entered.get('scopes') ?? scopes)}`,
      }),
    async perform(entered, { requestAccess, by }) {
      const chosen = (entered.get('scopes') ?? []).filter((scope) => scopes.includes(scope))
      if (scopes.length > 0 && chosen.length === 0) throw new FormProblem('Choose at least one scope.')
      const application = await requestAccess(view.record.id, { api: name, scopes: chosen, by })
      return { done: application.accessRequests.some((each) => each.api === name) ? 'requested' : 'granted' }
    },
  }
}

function explainApproval(isManual: boolean, isTakenAway: boolean): string {
  if (isManual) return 'This API needs our approval. We tell you by e-mail what was decided.'
  if (!isTakenAway) return 'Your application may use it at once.'
  return 'We took this access away before, so it needs our approval now. We tell you by e-mail what was decided.'
}

function renderScopeChoices(
  scopes: readonly string[],
  meanings: Readonly<Record<string, string>>,
  chosen: readonly string[],
): Html {
  return html`<fieldset>
    <legend>Scopes</legend>
    ${scopes.map(
      (scope) =>
        html`<label class="choice">
          <input type="checkbox" name="scopes" value="${scope}" ${chosen.includes(scope) && 'checked'} />
          <span><code class="inline">${scope}</code> ${Object.hasOwn(meanings, scope) && meanings[scope]!}</span>
        </label> `,
    )}
  </fieldset>`
}

export function createRevokePage(view: ApplicationView): ActionPage {
  return {
    action: 'revokeTokens',
    heading: 'Revoke all access tokens',
    render: () =>
      renderActionForm(view, {
        button: 'Revoke them',
        isDestructive: true,
        content: html`<p>
            Every access token that was issued to ${view.record.name} until now is refused from the next request on.
            Keys and secrets stay as they are.
          </p>
          <p>Your services go on when they have requested a new access token.</p>`,
      }),
    async perform(_entered, { applications, by }) {
      await applications.revokeTokens(view.record.id, { by })
      return { done: 'revoked' }
    },
  }
}

/** Asks for the name, so that nobody deletes another application than was meant. */
export function createDeletePage(view: ApplicationView): ActionPage {
  const { id, name } = view.record
  return {
    action: 'delete',
    heading: `Delete ${name}`,
    render: (entered) =>
      renderActionForm(view, {
        button: 'Delete this application',
        isDestructive: true,
        content: html`<p>
            Its credentials and access tokens are refused from the next request on, for everyone. Its name, its contacts
            and its credentials are erased. This cannot be undone.
          </p>
          <div class="field">
            <label for="name">To confirm, enter the name of the application: <strong>${name}</strong></label>
            <input id="name" name="name" value="${readField(entered, 'name')}" required autocomplete="off" />
          </div>`,
      }),
    async perform(entered, { applications, by }) {
      if (readField(entered, 'name') !== name) throw new FormProblem('This is not the name of the application.')
      await applications.delete(id, { by })
      return { left: 'deleted' }
    },
  }
}
