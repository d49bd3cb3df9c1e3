import type { Language } from '../../../shared/contracts/application-record.js'
import { html, type Html } from '../../../shared/web/html.js'
import { translate } from '../local-text.js'
import { TEXTS } from '../texts/texts.js'
import type { InputSettings } from './read-fields.js'
import { renderField, type FormState } from './render-field.js'

/** A field of the provider's own. `value`: what was entered. */
export function renderInput(input: InputSettings, state: FormState, value: string | undefined): Html {
  const { language } = state
  const field = {
    ...input,
    label: translate(input.label, language),
    hint: input.hint === undefined ? undefined : translate(input.hint, language),
  }
  const render = (attributes: Html): Html => renderControl(input, attributes, value, language)
  return renderField(field, state, render, input.type === 'checkbox')
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
  // HTML drops the first line break.
  if (type === 'textarea') return html`<textarea rows="4" ${completed}>${'\n'}${value}</textarea>`
  if (type !== 'select') return html`<input type="${type}" value="${value}" ${completed} />`
  return html`<select ${completed}>
    <option value="">${TEXTS[language].choose}</option>
    ${options.map(
      (option) =>
        html`<option value="${option.value}" ${option.value === value && html` selected`}>
          ${translate(option.label, language)}
        </option> `,
    )}
  </select>`
}
