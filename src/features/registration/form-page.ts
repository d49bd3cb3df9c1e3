import type { Api, Registration } from '../../contracts/api.js'
import type { Language } from '../../contracts/email-content.js'
import { html, type Html } from '../../web/html.js'
import { ownMembers } from '../../lib/own-members.js'
import type { FieldProblems, FormFields } from './form-fields.js'
import { createContentSecurityPolicy, renderPage, type PageLinks } from '../../web/public-page.js'

/** An API as the registration form shows it. */
export interface RegistrationApi extends Api {
  readonly registration: Registration
}

/** The values that the form shows again after it was refused. */
export interface RefusedForm {
  /** The input; empty if it could not be read. */
  readonly fields: FormFields | undefined
  readonly problems: FieldProblems
  /** The reason of the refusal, if that is no mistake in a field. */
  readonly reason: string | undefined
}

const EMPTY_FIELDS: FormFields = { name: '', contact: '', language: undefined, apis: [] }
export const NO_PROBLEMS: FieldProblems = ownMembers({})

/** `GET /`, and the answer to a form that was refused. */
export function renderRegistrationPage(
  apis: readonly RegistrationApi[],
  links: PageLinks,
  /** The option is selected unless another one was. */
  preferred: Language | undefined,
  refused?: RefusedForm,
): string {
  const { name, contact, language = preferred ?? 'en', apis: chosen } = refused?.fields ?? EMPTY_FIELDS
  const problems = refused?.problems ?? NO_PROBLEMS
  // `novalidate` turns off the browser's own checks, which show one mistake at a time and none of the checkboxes.
  const form = html`${refused && renderSummary(refused)}
    <form method="post" novalidate>
      <div class="field">
        <label for="name">Name of your application</label>
        ${renderProblem('name', problems)}
        <input
          id="name"
          name="name"
          value="${name}"
          required
          maxlength="200"
          ${describeInput('name', 'organization', problems)}
        />
      </div>
      <div class="field">
        <label for="contact">E-mail address of the developers</label>
        ${renderProblem('contact', problems)}
        <input
          id="contact"
          name="contact"
          value="${contact}"
          type="email"
          required
          maxlength="254"
          ${describeInput('contact', 'email', problems)}
        />
      </div>
      <div class="field">
        <label for="language">Language of our e-mails</label>
        ${renderProblem('language', problems)}
        <select
          id="language"
          name="language"
          ${problems.language !== undefined && html`aria-invalid="true" aria-describedby="language-problem"`}
        >
          ${Object.entries(LANGUAGE_NAMES).map(([code, name]) => renderOption(code, name, language))}
        </select>
      </div>
      <fieldset id="apis" ${problems.apis !== undefined && html`aria-describedby="apis-problem"`}>
        <legend>APIs that it calls</legend>
        ${renderProblem('apis', problems)} ${apis.map((api) => renderChoice(api, chosen, problems))}
      </fieldset>
      <button>Register</button>
    </form>
    <h2>What happens next</h2>
    <p>
      We send the key and the secret to your e-mail address, with commands to try them. If an API needs our approval, we
      send the e-mail after we have approved your application.
    </p>`
  return renderPage('Register an application', links, form, { isError: refused !== undefined })
}

const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' }

function renderOption(code: string, name: string, selected: string): Html {
  return html`<option value="${code}" lang="${code}" ${code === selected && html` selected`}>${name}</option> `
}

/** Gets the focus when the page is shown, so that it is read out, with a link to each field that is wrong. */
function renderSummary({ problems, reason }: RefusedForm): Html {
  const links = Object.entries(problems).map(([field, problem]) => html`<li><a href="#${field}">${problem}</a></li>`)
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
    ${
      reason ??
      html`Your application has not been registered yet.
        <ul>
          ${links}
        </ul>`
    }
  </div> `
}

function renderProblem(field: keyof FormFields, { [field]: problem }: FieldProblems): Html | false {
  return problem !== undefined && html`<p class="wrong" id="${field}-problem">Error: ${problem}</p>`
}

function describeInput(field: keyof FormFields, autocomplete: string, { [field]: problem }: FieldProblems): Html {
  return html`autocomplete="${autocomplete}"${problem !== undefined && html` aria-invalid="true" aria-describedby="${field}-problem"`}`
}

function renderChoice(
  { name, title, description, registration }: RegistrationApi,
  chosen: readonly string[],
  { apis: problem }: FieldProblems,
): Html {
  const attributes = html`value="${name}"${chosen.includes(name) && html` checked`}${problem !== undefined && html` aria-invalid="true"`}`
  return html`<label class="choice">
    <input type="checkbox" name="apis" ${attributes} />
    <span>
      <strong>${title}</strong>
      ${Boolean(description) && html`<br />${description}`}
      ${registration === 'manual' && html`<br /><em>This API needs our approval.</em>`}
    </span>
  </label> `
}

/** `POST /`: the same text for everybody, so that it does not show which contacts are known. */
export function renderRegisteredPage(links: PageLinks): string {
  return renderPage(
    'Thank you',
    links,
    html`<p>
      We have received your registration. We send the credentials to the e-mail address that you gave. If an API needs
      our approval, we send them after we have approved your application.
    </p>`,
  )
}

export const FORM_SECURITY_POLICY = createContentSecurityPolicy()
