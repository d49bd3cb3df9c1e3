import { ownMembers } from '../lib/own-members.js'
import { html, type Html } from './html.js'

/** The problem of a form: of one of its fields, or of the form as a whole. */
export interface Problem {
  readonly text: Html | string
  readonly field?: string | undefined
  /** A list above the form names it too, and has the focus. */
  readonly isListed?: boolean
}

interface Field {
  readonly id: string
  /** The id if left out. */
  readonly name?: string
  readonly label: Html | string
  readonly hint?: string | undefined
  /** Shown here if it is this field's. */
  readonly problem: Problem | undefined
  /** The label follows the control, as at a checkbox. */
  readonly isChoice?: boolean
  readonly render: (attributes: Html) => Html
}

/** A field with its label, its hint, and at it what is wrong with what was entered (WCAG 3.3.1). */
export function renderField(field: Field): Html {
  const { id, name = id, label, hint, problem, isChoice = false, render } = ownMembers(field)
  const focus = problem?.field === id && problem.isListed !== true && html` autofocus`
  const control = render(html`id="${id}" name="${name}"${describeField(id, problem, hint !== undefined)}${focus}`)
  const wrong = renderFieldProblem(id, problem)
  return html`<div class="field">
    ${isChoice ? html`${wrong}<label class="choice">${control}<span>${label}</span></label>` : html`<label for="${id}">${label}</label>`}
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${!isChoice && html`${wrong} ${control}`}
  </div> `
}

/** The problem of a form as a whole, above it: it has the focus and is announced. The one of a field is said there only. */
export function renderProblem({ text, field }: Problem): Html | false {
  return field === undefined && html`<div class="problem" role="alert" tabindex="-1" autofocus>${text}</div>`
}

export function renderInputField(field: Omit<Field, 'render'>, further: Html): Html {
  return renderField({ ...field, render: (attributes) => html`<input ${attributes} ${further} />` })
}

type Choices = readonly (readonly [value: string, text: string, ...unknown[]])[]

export function renderSelect(attributes: Html, choices: Choices, chosen: string | undefined): Html {
  const options = choices.map(
    ([value, text]) => html`<option value="${value}" ${value === chosen && 'selected'}>${text}</option>`,
  )
  return renderSelectOf(attributes, options)
}

/** Around it is what its arrow is drawn on: a select has no room for it of its own. */
export function renderSelectOf(attributes: Html, options: Html | readonly Html[]): Html {
  return html`<span class="select"
    ><select ${attributes}>
      ${options}
    </select></span
  >`
}

/** HTML drops the first line break of a text, so there is one more. */
export function renderTextarea(attributes: Html, text: string): Html {
  return html`<textarea ${attributes}>${`\n${text}`}</textarea>`
}

/** The attributes that tie a control to its hint and its problem. */
export function describeField(id: string, problem: Problem | undefined, hasHint = false): Html {
  const isWrong = problem?.field === id
  const described = [hasHint && `${id}-hint`, isWrong && `${id}-problem`].filter((each) => each !== false)
  return html`${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${isWrong && html` aria-invalid="true"`}`
}

export function renderFieldProblem(id: string, problem: Problem | undefined): Html | false {
  return problem?.field === id && html`<p class="wrong" id="${id}-problem">${problem.text}</p>`
}
