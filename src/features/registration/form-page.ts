import type { InputSettings } from './registration-fields.js'
import type { RegistrationSettings } from './registration-options.js'
import type { ApiSettings } from '../../core/options/settings.js'
import { LANGUAGE_NAMES, type Language } from '../../shared/contracts/application-record.js'
import { fillCount, fillText } from '../../shared/lib/fill-in.js'
import { FORGET_FORM_SCRIPT } from '../../shared/web/form-script.js'
import {
  renderField,
  renderFieldProblem,
  renderSelect,
  renderSelectOf,
  renderTextarea,
  type Problem,
} from '../../shared/web/form-field.js'
import { renderChip } from '../../shared/web/parts.js'
import { html, type Html } from '../../shared/web/html.js'
import { createContentSecurityPolicy, renderPage, type PageLinks } from '../../shared/web/public-page.js'
import { allowSources, type CaptchaSettings } from './captcha.js'
import { translate } from './local-text.js'
import type { FieldProblems, FormFields } from './mistakes.js'
import { hidePrivateKey, needsKeySet, takesKeySets } from '../../shared/lib/key-set-text.js'
import type { RegistrationTerms } from './terms.js'
import { TEXTS, type RegistrationTexts } from './texts/languages.js'

export interface RefusedForm {
  readonly fields: FormFields | undefined
  readonly problems: FieldProblems
  readonly reason: string | undefined
}

const EMPTY: RefusedForm = { fields: undefined, problems: new Map(), reason: undefined }

export function createFormPage(
  /** Those that are open to registration. */
  apis: readonly ApiSettings[],
  links: PageLinks,
  { fields: { inputs }, terms, captcha, decisionDays }: RegistrationSettings,
) {
  const policy = links.brand.extendPolicy(createContentSecurityPolicy(SEND_ONCE_SCRIPT, 'form'))

  const takesKeys = apis.some(takesKeySets)

  function render(language: Language, refused?: RefusedForm): string {
    const { fields, problems } = refused ?? EMPTY
    const texts = TEXTS[language]
    const state = { problems, language }
    const value = (name: string): string | undefined => fields?.values.get(name)
    const focus = !refused && html` autofocus`
    // `novalidate` turns off the browser's own checks, which show one mistake at a time and none of the checkboxes.
    const form = html`${refused ? renderSummary(refused, texts) : html`<p class="intro">${texts.intro}</p>`}
      <form method="post" novalidate>
        ${renderFormField({ id: 'name', label: texts.name, required: true }, state, (attributes) => html`<input value="${value('name')}" maxlength="200" autocomplete="organization" ${attributes}${focus} />`)}
        ${renderFormField({ id: 'contact', label: texts.contact, required: true }, state, (attributes) => html`<input type="email" value="${value('contact')}" maxlength="254" autocomplete="email" ${attributes} />`)}
        ${renderFormField({ id: 'language', label: texts.language, required: true }, state, (attributes) => renderLanguages(attributes, value('language') ?? language))}
        <fieldset ${describeGroup('apis', problems)}${problems.has('apis') && html` aria-describedby="apis-problem"`}>
          <legend>${texts.apis}</legend>
          ${renderProblem('apis', state)} ${apis.map((api) => renderApi(api, fields?.apis ?? [], state))}
        </fieldset>
        ${takesKeys && renderKeySet(value('keySet'), state)}
        ${inputs.map((input) => renderInput(input, state, value(input.id)))}
        ${terms && renderTerms(terms, value('terms'), state)} ${captcha && renderCaptcha(captcha, state)}
        <p class="actions"><button>${texts.register}</button></p>
      </form>
      <h2>${texts.next}</h2>
      <p>${texts.sent}</p>
      ${apis.some(({ registration }) => registration === 'manual') && html`<p>${fillText(texts.approval, { within: describeDecisionTime(decisionDays, texts) })}</p>`}`
    return renderPage(texts.title, links, form, {
      isError: refused !== undefined,
      language,
      script: SEND_ONCE_SCRIPT,
      style: 'form',
      tab: 'register',
    })
  }

  return {
    render,
    policy: captcha ? allowSources(policy, captcha.sources) : policy,
  }
}

/** Within how many working days the provider usually decides. */
export function describeDecisionTime(days: number | undefined, { within }: RegistrationTexts): string {
  return days === undefined ? '' : fillCount(within, days)
}

/** A second click sends nothing while the answer to the first one is awaited. */
const SEND_ONCE_SCRIPT = `${FORGET_FORM_SCRIPT}let isSent = false
document.querySelector('form').addEventListener('submit', (event) => {
  if (isSent) event.preventDefault()
  isSent = true
  setTimeout(() => { isSent = false }, 5000)
})
`

/** Gets the focus when the page is shown, so that it is read out, with a link to each field that is wrong. A single one gets it itself. */
function renderSummary({ problems, reason }: RefusedForm, texts: RegistrationTexts): Html | false {
  if (problems.size === 1 && !problems.has('form')) return false
  const lines = [...problems].map(
    ([id, problem]) => html`<li>${id === 'form' ? problem : html`<a href="#${id}">${problem}</a>`}</li>`,
  )
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
    ${
      reason ??
      html`${texts.notRegistered}
        <ul>
          ${lines}
        </ul>`
    }
  </div> `
}

/** The attributes of what has several controls: it gets the focus, as a field does, if nothing else is wrong. */
function describeGroup(id: string, problems: FieldProblems): Html {
  return html`id="${id}" tabindex="-1"${problems.size === 1 && problems.has(id) && html` autofocus`}`
}

interface FormState {
  readonly problems: FieldProblems
  readonly language: Language
}

function renderFormField(
  field: {
    readonly id: string
    readonly label: Html | string
    readonly hint?: string | undefined
    readonly required: boolean
  },
  { problems, language }: FormState,
  renderControl: (attributes: Html) => Html,
  isChoice = false,
): Html {
  const { id, label, hint, required } = field
  return renderField({
    id,
    label: html`${label}${!required && !isChoice && html` <small>${TEXTS[language].optional}</small>`}`,
    hint,
    problem: findProblem(id, problems),
    isChoice,
    render: (attributes) => renderControl(html`${attributes}${required && html` required`}`),
  })
}

function findProblem(id: string, problems: FieldProblems): Problem | undefined {
  const text = problems.get(id)
  return text === undefined ? undefined : { text, field: id, isListed: problems.size > 1 }
}

function renderProblem(id: string, { problems }: FormState): Html | false {
  return renderFieldProblem(id, findProblem(id, problems))
}

function renderInput(input: InputSettings, state: FormState, value: string | undefined): Html {
  const { language } = state
  const field = {
    ...input,
    label: translate(input.label, language),
    hint: input.hint === undefined ? undefined : translate(input.hint, language),
  }
  const render = (attributes: Html): Html => renderControl(input, attributes, value, language)
  return renderFormField(field, state, render, input.type === 'checkbox')
}

/** A text that is too long is kept: `maxlength` counts differently, and cuts off what was pasted. */
function renderControl(
  { type, autocomplete, options }: InputSettings,
  attributes: Html,
  value: string | undefined,
  language: Language,
): Html {
  if (type === 'checkbox') return html`<input type="checkbox" ${attributes}${value !== undefined && html` checked`} />`
  const completed = html`${attributes} autocomplete="${autocomplete}"`
  if (type === 'textarea') return renderTextarea(html`rows="4" ${completed}`, value ?? '')
  if (type !== 'select') return html`<input type="${type}" value="${value}" ${completed} />`
  const choices = options.map((option) => [option.value, translate(option.label, language)] as const)
  return renderSelect(completed, [['', TEXTS[language].choose], ...choices], value)
}

function renderLanguages(attributes: Html, selected: string): Html {
  const options = Object.entries(LANGUAGE_NAMES).map(
    ([code, name]) =>
      html`<option value="${code}" lang="${code}" ${code === selected && html` selected`}>${name}</option> `,
  )
  return renderSelectOf(attributes, options)
}

/** The title names the checkbox; everything else describes it. */
function renderApi(api: ApiSettings, chosen: readonly string[], { problems, language }: FormState): Html {
  const { name, title, description, scopes, registration, registrationScopes } = api
  const texts = TEXTS[language]
  const id = `api-${name}`
  const isManual = registration === 'manual'
  const described = html` aria-labelledby="${id}" aria-describedby="${isManual && `${id}-approval `}${id}-about"`
  const attributes = html`value="${name}"${described}${chosen.includes(name) && html` checked`}${problems.has('apis') && html` aria-invalid="true"`}`
  return html`<label class="choice">
    <input type="checkbox" name="apis" ${attributes} />
    <span>
      <span class="name"
        ><strong id="${id}">${title}</strong>
        ${isManual && html`<span class="pill warn" id="${id}-approval">${texts.needsApproval}</span>`}</span
      >
      <span class="about" id="${id}-about">
        ${Boolean(description) && html`<span>${description}</span>`}
        ${registrationScopes.map((scope) => renderScope(scope, scopes[scope]))}
        ${needsKeySet(api) && html`<em>${texts.needsKeySet}</em>`}
      </span>
    </span>
  </label> `
}

function renderScope(scope: string, meaning: string | undefined): Html {
  return html`<span class="scope">${renderChip(scope)} ${Boolean(meaning) && html`<span>${meaning}</span>`}</span> `
}

function renderKeySet(entered: string | undefined, state: FormState): Html {
  const { keySet: label, keySetHint: hint } = TEXTS[state.language]
  const text = hidePrivateKey(entered ?? '')
  return renderFormField({ id: 'keySet', label, hint, required: false }, state, (attributes) =>
    renderTextarea(html`rows="4" autocomplete="off" spellcheck="false" ${attributes}`, text),
  )
}

/** The value is the version, so that nobody accepts another one than the page named. */
function renderTerms({ url, version, label }: RegistrationTerms, accepted: string | undefined, state: FormState): Html {
  const texts = TEXTS[state.language]
  const link = html`<a href="${url}" target="_blank" rel="noopener">${fillText(texts.readTerms, { version })}</a>`
  const accept = html`${translate(label ?? texts.acceptTerms, state.language)} ${link}`
  const render = (attributes: Html): Html =>
    html`<input type="checkbox" value="${version}" ${attributes}${accepted === version && html` checked`} />`
  return renderFormField({ id: 'terms', label: accept, required: true }, state, render, true)
}

/** The widget's HTML is the provider's own. */
function renderCaptcha({ html: markup }: CaptchaSettings, state: FormState): Html {
  return html`<div class="field" ${describeGroup('captcha', state.problems)}>
    ${renderProblem('captcha', state)} ${{ markup }}
    <noscript><p>${TEXTS[state.language].captchaNeedsScripts}</p></noscript>
  </div> `
}
