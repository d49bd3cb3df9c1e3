import { readKeySetText } from '../../../core/applications/credentials/key-sets.js'
import { readField, type FormFields } from '../../../core/http/form.js'
import { DAY_MS } from '../../../shared/lib/day.js'
import { hidePrivateKey } from '../../../shared/lib/key-set-text.js'
import { renderField, renderTextarea, type Problem } from '../../../shared/web/form-field.js'
import { html, markEnglish, type Html } from '../../../shared/web/html.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import type { PortalTexts } from '../texts/languages.js'
import { FormProblem, type ActionPage } from './action-page.js'
import {
  describeCredential,
  findCredential,
  listLifetimes,
  readChoice,
  readName,
  renderChoice,
  renderNameField,
} from './credential-pages.js'
import type { ApplicationView } from './view.js'
import { hasOwnMember } from '../../../shared/lib/own-members.js'

/** A key set is one of the secrets: with the same ends and restrictions. */
export function createAddKeySetPage(view: ApplicationView): ActionPage {
  const { texts } = view
  const { keySets } = texts
  const lifetimes = listLifetimes(view, 'secret')
  return {
    action: 'addKeySet',
    heading: keySets.add,
    render: (entered, problem) =>
      html`<p>${keySets.addAbout}</p>
        ${renderNameField(readField(entered, 'name'), `${texts.nameHint} ${keySets.uniqueName}`, problem, texts)}
        ${renderKeysField(readField(entered, 'keys'), problem, texts)}
        ${renderChoice({ id: 'expires', label: texts.expiry, problem }, lifetimes, readField(entered, 'expires') || '0')}`,
    async perform(entered, { applications, by }) {
      const name = readName(entered, texts)
      const source = readKeys(entered, view)
      const days = Number(readChoice(entered, 'expires', lifetimes, texts))
      const end = days > 0 ? { expiresAt: new Date(view.now + days * DAY_MS) } : {}
      await applications.addKeySet(view.record.id, { name, by, ...source, ...end })
      return { done: 'keySetSaved' }
    },
  }
}

export function createReplacePage(view: ApplicationView, id: string): ActionPage | undefined {
  const shown = findCredential(view, id)
  if (!shown?.credential.keySet) return undefined
  const { texts } = view
  return {
    action: 'replaceKeySet',
    heading: texts.keySets.replace,
    render: (entered, problem) =>
      html`${describeCredential(shown.kind, shown.credential, texts)}
        <p>${texts.keySets.replaceAbout}</p>
        ${renderKeysField(readField(entered, 'keys'), problem, texts)}`,
    async perform(entered, { applications, by }) {
      await applications.replaceKeySet(view.record.id, id, { ...readKeys(entered, view), by })
      return { done: 'keySetSaved' }
    },
  }
}

export function createReloadPage(view: ApplicationView, id: string): ActionPage | undefined {
  const shown = findCredential(view, id)
  if (!shown?.credential.keySet || !hasOwnMember(shown.credential.keySet, 'address')) return undefined
  const { texts } = view
  return {
    action: 'replaceKeySet',
    heading: texts.keySets.reload,
    render: () =>
      html`${describeCredential(shown.kind, shown.credential, texts)}
        <p>${texts.keySets.reloadAbout}</p>`,
    async perform(_entered, { applications, by }) {
      await applications.reloadKeySet(view.record.id, id, { by })
      return { done: 'keySetReloaded' }
    },
  }
}

function renderKeysField(value: string, problem: Problem | undefined, { keySets }: PortalTexts): Html {
  const render = (attributes: Html): Html =>
    renderTextarea(html`${attributes} rows="6" required autocomplete="off" spellcheck="false"`, hidePrivateKey(value))
  return renderField({ id: 'keys', label: keySets.keys, hint: keySets.keysHint, problem, render })
}

function readKeys(entered: FormFields, { texts, internalHosts, now }: ApplicationView) {
  const { source, refused } = readKeySetText(readField(entered, 'keys'), { now, internalHosts })
  if (source) return source
  throw new FormProblem(html`${FRAME_TEXTS[texts.language].keySetRefused} (${markEnglish(refused, texts)})`, 'keys')
}
