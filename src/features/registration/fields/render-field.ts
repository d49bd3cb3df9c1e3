import type { Language } from '../../../shared/contracts/application-record.js'
import { html, type Html } from '../../../shared/web/html.js'
import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import type { FieldProblems } from '../mistakes.js'
import { TEXTS } from '../texts/texts.js'

/** A control of the form with its label. */
export interface Field {
  /** Its name, and its id in the page. */
  readonly id: string
  readonly label: string
  readonly hint?: string | undefined
  readonly required: boolean
}

/** The parts of a form that every field depends on. */
export interface FormState {
  readonly problems: FieldProblems
  readonly language: Language
}

/**
 * A label, a hint, the problem and the control. `renderControl` gets the attributes that connect them. With `isChoice` the
 * label follows the control, as at a checkbox.
 */
export function renderField(
  { id, label, hint, required }: Field,
  { problems, language }: FormState,
  renderControl: (attributes: Html) => Html,
  isChoice = false,
): Html {
  const problem = problems.get(id)
  const described = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(Boolean)
  const control = renderControl(
    html`id="${id}"
    name="${id}"${required && html` required`}${problem !== undefined && html` aria-invalid="true"`}${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}`,
  )
  const name = html`${label}${!required && !isChoice && html` <small>${TEXTS[language].optional}</small>`}`
  return html`<div class="field">
    ${isChoice ? html`<label class="choice">${control}<span>${name}</span></label>` : html`<label for="${id}">${name}</label>`}
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${renderProblem(id, { problems, language })} ${!isChoice && control}
  </div> `
}

/** The problem of a field, where it has one. */
export function renderProblem(id: string, { problems, language }: FormState): Html | false {
  const problem = problems.get(id)
  return problem !== undefined && html`<p class="wrong" id="${id}-problem">${FRAME_TEXTS[language].error(problem)}</p>`
}
