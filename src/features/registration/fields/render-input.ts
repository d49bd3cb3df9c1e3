import type { Language } from '../../../shared/contracts/application-record.js'
import {
  renderField,
  renderFieldProblem,
  renderSelect,
  renderTextarea,
  type Problem,
} from '../../../shared/web/form-field.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { FieldProblems } from '../mistakes.js'
import { translate } from '../local-text.js'
import { TEXTS } from '../texts/languages.js'
import type { InputSettings } from './read-fields.js'

export interface FormState {
  readonly problems: FieldProblems
  readonly language: Language
}

export function renderFormField(
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

export function renderProblem(id: string, { problems }: FormState): Html | false {
  return renderFieldProblem(id, findProblem(id, problems))
}

export function renderInput(input: InputSettings, state: FormState, value: string | undefined): Html {
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
