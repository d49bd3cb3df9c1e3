import { FRAME_TEXTS } from '../../../shared/web/page-frame.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { html, type Html } from '../../../shared/web/html.js'
import type { PortalTexts } from '../texts/en.js'

/** The problem of a form: of one of its fields, or of the form as a whole. */
export interface Problem {
  readonly text: string
  /** The id of the field. */
  readonly field?: string | undefined
}

interface Field {
  readonly id: string
  /** The id if left out. */
  readonly name?: string
  readonly label: Html | string
  readonly hint?: string
  readonly problem: Problem | undefined
  /** The input, which gets these attributes. */
  readonly render: (attributes: Html) => Html
}

/** A field with its label, its hint, and at it what is wrong with what was entered (WCAG 3.3.1). */
export function renderField(field: Field, texts: PortalTexts): Html {
  const { id, name = id, label, hint, problem, render } = ownMembers(field)
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${renderFieldProblem(id, problem, texts)}
    ${render(html`id="${id}" name="${name}"${describeField(id, problem, hint !== undefined)}`)}
  </div>`
}

/** The attributes that tie an input to its hint and its problem. */
export function describeField(id: string, problem: Problem | undefined, hasHint = false): Html {
  const isWrong = problem?.field === id
  const described = [hasHint && `${id}-hint`, isWrong && `${id}-problem`].filter((each) => each !== false)
  return html`${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${isWrong && html` aria-invalid="true"`}`
}

export function renderFieldProblem(id: string, problem: Problem | undefined, { language }: PortalTexts): Html | false {
  return (
    problem?.field === id && html`<p class="wrong" id="${id}-problem">${FRAME_TEXTS[language].error(problem.text)}</p>`
  )
}

/** The problem above the form, which is announced: a link to the field that is wrong. */
export function renderSummary({ text, field }: Problem): Html {
  return field === undefined ? html`${text}` : html`<a href="#${field}">${text}</a>`
}
