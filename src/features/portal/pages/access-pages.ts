import type { ApiSettings } from '../../../core/options/settings.js'
import { isWithheld } from '../../../core/applications/records/withheld.js'
import { fillText } from '../../../shared/lib/fill-in.js'
import { fillHtml, html, type Html } from '../../../shared/web/html.js'
import { renderChip } from '../../../shared/web/parts.js'
import { renderInputField, renderFieldProblem, describeField, type Problem } from '../../../shared/web/form-field.js'
import { FormProblem, type ActionPage } from './action-page.js'
import { findRequestable } from '../sections/api-section.js'
import { readField } from '../../../core/http/form.js'
import type { PortalTexts } from '../texts/languages.js'
import type { ApplicationView } from './view.js'

export function createRequestPage(view: ApplicationView, subject: string): ActionPage | undefined {
  const api = view.apis.find(({ name }) => name === subject)
  const requestable = api && findRequestable(api, view)
  if (!requestable) return undefined
  const { name, title, description, registration } = api
  const { texts } = view
  const { scopes } = requestable
  return {
    action: 'requestAccess',
    heading: fillText(texts.requestApi, { title }),
    button: texts.request,
    render: (entered, problem) =>
      html`${description !== undefined && html`<p>${description}</p>`}
        <p>${explainApproval(registration === 'manual', isWithheld(view.record, name, scopes), texts)}</p>
        ${scopes.length > 0 && renderScopeChoices(scopes, api, entered.get('scopes') ?? (problem ? [] : scopes), problem, texts)}`,
    async perform(entered, { requestAccess, by }) {
      const chosen = (entered.get('scopes') ?? []).filter((scope) => scopes.includes(scope))
      if (scopes.length > 0 && chosen.length === 0) throw new FormProblem(texts.noScope, 'scopes')
      const application = await requestAccess(view.record.id, { api: name, scopes: chosen, by })
      return { done: application.accessRequests.some((each) => each.api === name) ? 'requested' : 'granted' }
    },
  }
}

function explainApproval(isManual: boolean, isTakenAway: boolean, texts: PortalTexts): string {
  if (isManual) return texts.needsApproval
  return isTakenAway ? texts.needsApprovalNow : texts.grantedAtOnce
}

function renderScopeChoices(
  scopes: readonly string[],
  { scopes: meanings }: ApiSettings,
  chosen: readonly string[],
  problem: Problem | undefined,
  texts: PortalTexts,
): Html {
  return html`<fieldset id="scopes" tabindex="-1" ${describeField('scopes', problem)} ${problem && 'autofocus'}>
    <legend>${texts.scopes}</legend>
    ${renderFieldProblem('scopes', problem)}
    ${scopes.map(
      (scope) =>
        html`<label class="choice">
          <input type="checkbox" name="scopes" value="${scope}" ${chosen.includes(scope) && 'checked'} />
          <span>${renderChip(scope)} ${Object.hasOwn(meanings, scope) && meanings[scope]!}</span>
        </label> `,
    )}
  </fieldset>`
}

export function createRevokePage(view: ApplicationView): ActionPage {
  const { texts } = view
  return {
    action: 'revokeTokens',
    heading: texts.revoke,
    isDestructive: true,
    render: () =>
      html`<p>${fillText(texts.revokeAbout, { name: view.record.name })}</p>
        <p>${texts.revokeGoesOn}</p>`,
    async perform(_entered, { applications, by }) {
      await applications.revokeTokens(view.record.id, { by })
      return { done: 'revoked' }
    },
  }
}

/** Asks for the name, so that nobody deletes another application than was meant. */
export function createDeletePage(view: ApplicationView): ActionPage {
  const { id, name, status } = view.record
  const { texts } = view
  const isPending = status === 'pending'
  return {
    action: 'delete',
    heading: isPending ? texts.withdrawIt : fillText(texts.deleteName, { name }),
    button: isPending ? texts.withdrawIt : texts.deleteIt,
    isDestructive: true,
    render: (entered, problem) =>
      html`<p>${isPending ? texts.withdrawalMeans : texts.deleteAbout}</p>
        ${renderInputField(
          { id: 'name', label: fillHtml(texts.confirmName, { name: html`<strong>${name}</strong>` }), problem },
          html`value="${readField(entered, 'name')}" required autocomplete="off"`,
        )}`,
    async perform(entered, { applications, by }) {
      if (readField(entered, 'name') !== name) throw new FormProblem(texts.otherName, 'name')
      await applications.delete(id, { by })
      return { left: isPending ? 'withdrawn' : 'deleted' }
    },
  }
}
