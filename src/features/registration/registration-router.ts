import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RegistrationCandidate, RegistrationSettings } from './registration-options.js'
import { createPageBrand } from '../../shared/web/page-brand.js'
import { createPrepareRegistration, type PreparedRegistration, type PrepareRegistration } from './register.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import { OAuthError, type Denial } from '../../shared/contracts/denial.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { readOrigin } from '../../core/http/origin.js'
import { parseMediaType } from '../../core/http/form.js'
import { readJson } from '../../core/http/json-body.js'
import { refuseCrossSiteForm } from '../../core/http/same-origin.js'
import type { Endpoint, Middleware } from '../../core/http/middleware.js'
import { readClientAddress, readIpAddress, readOriginalPath } from '../../shared/lib/request.js'
import { createRouter, logDenial } from '../../core/http/endpoints.js'
import {
  FORM_REFERRER_POLICY,
  sendDenial,
  sendJson,
  sendPage,
  sendRedirect,
  setHeaders,
} from '../../core/http/respond.js'
import { describeRefusal } from '../../shared/web/describe-refusal.js'
import { choosePageLanguage, readPreferredLanguage } from '../../shared/web/page-language.js'
import { createContentSecurityPolicy } from '../../shared/web/public-page.js'
import { createAdditions } from './additions.js'
import { createDecideEndpoints } from './decide.js'
import { createFormPage, type RefusedForm } from './form-page.js'
import {
  findFieldProblems,
  NO_PROBLEMS,
  readFormFields,
  RegistrationMistakes,
  readKeySetField,
  type FieldProblems,
  type FormFields,
} from './mistakes.js'
import { TEXTS } from './texts/languages.js'
import { createThanksLinks, renderThanksPage } from './thanks-page.js'
import type { Core } from '../../feature.js'
import { removeTag } from '../../shared/lib/email-address.js'
import { describeValue } from '../../shared/lib/option-checks.js'
import { callHost } from './call-host.js'

type Registration = Parameters<PrepareRegistration>[0]

export function createRegistrationRouter(core: Core, settings: RegistrationSettings): Middleware {
  const { limitChanges, available, paceStarts, logRefusal } = core
  const { developersUrl, clientAssertions } = core.settings
  const { decisionDays, operators } = settings
  const prepareRegistration = createPrepareRegistration(core, operators)
  const additions = createAdditions(core, settings)
  const admit = createAdmission(core, settings)
  const thanksLinks = createThanksLinks(() => core.deriveKey('express-platform-auth registered v1'), core.now)
  const brand = createPageBrand(core.settings.brand)
  const links = { brand, developersUrl, portalUrl: core.pageUrl('portal') }
  const apis = [...core.settings.apis.values()].filter(({ registration }) => registration !== 'closed')
  const origin = developersUrl === undefined ? undefined : new URL(developersUrl).origin
  const openApis = apis.map(({ name }) => name)
  const formPage = createFormPage(apis, links, settings)
  const thanksPolicy = brand.extendPolicy(createContentSecurityPolicy())
  const fieldNames = new Set(['name', 'contact', 'language', 'keySet', ...additions.names])
  const decisions = operators.length > 0 ? createDecideEndpoints(core, settings, brand, readRefusal) : undefined

  const routes = new Map<string, Endpoint>([
    ['GET /', (req, res) => sendForm(req, res, 200)],
    ['POST /', paceStarts(registerApplication)],
    // A form leads to this page after it registered: a reload registers nothing.
    ['GET /thanks', sendThanks],
    ...(decisions
      ? ([
          ['GET /decide', decisions.show],
          ['POST /decide', paceStarts(decisions.decide)],
        ] as const)
      : []),
  ])

  function sendForm(req: IncomingMessage, res: ServerResponse, status: number, refused?: RefusedForm): void {
    const page = formPage.render(choosePageLanguage(req, res), refused)
    sendPage(req, res, status, page, formPage.policy, FORM_REFERRER_POLICY)
  }

  function sendThanks(req: IncomingMessage, res: ServerResponse): void {
    const page = renderThanksPage(choosePageLanguage(req, res), thanksLinks.read(req.url ?? ''), links, decisionDays)
    sendPage(req, res, 200, page, thanksPolicy)
  }

  /** A form is answered with a page, JSON with JSON. */
  async function registerApplication(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (isForm(req)) return registerByForm(req, res)
    const body = await readJson(req)
    const { name, contact, apis: grants, language, keySet } = body
    await register(
      { name, contact, apis: grants, language, keySet } as Registration,
      additions.readJson(body),
      'en',
      req,
    )
    sendJson(res, 202, { status: 'accepted' }, { 'Cache-Control': 'no-store' })
  }

  async function registerByForm(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let form: FormFields | undefined
    try {
      form = await readFormFields(req, fieldNames)
      const language = readPreferredLanguage(req) ?? 'en'
      const [name, contact, chosen] = ['name', 'contact', 'language'].map((each) => form!.values.get(each))
      const keys = readKeySetField(form, apis, clientAssertions.allow, language)
      const application = { name, contact, apis: form.apis, language: chosen, keySet: keys.source } as Registration
      const mistakes = new Map([...findFieldProblems(form, openApis, TEXTS[language]), ...keys.problems])
      const registered = await register(application, additions.readForm(form), language, req, mistakes)
      redirectToThanks(req, res, thanksLinks.format(registered))
    } catch (error) {
      sendRefusedForm(error, form, req, res)
    }
  }

  /** A registration with a mistake is refused before anything is counted. `mistakes`: those that a form has in any case. */
  async function register(
    application: Registration,
    given: ReturnType<typeof additions.readForm>,
    pageLanguage: Language,
    req: IncomingMessage,
    mistakes: FieldProblems = NO_PROBLEMS,
  ): Promise<PreparedRegistration> {
    const language = application.language ?? readPreferredLanguage(req)
    const prepared = mistakes.size === 0 ? await prepareRegistration({ ...application, language }) : undefined
    const { data, problems } = await additions.check(given, pageLanguage)
    if (!prepared || problems.size > 0) throw new RegistrationMistakes(new Map([...mistakes, ...problems]))
    await available()
    const { name, contact, apis: granted } = prepared
    const verifyPerson = (): Promise<void> => additions.verifyPerson(given, pageLanguage, req)
    await admit({ name, contact, apis: granted, metadata: data.metadata, verifyPerson }, req)
    await limitChanges(readClientAddress(req), () => prepared.save(readOrigin(req), data))
    return prepared
  }

  function readRefusal(error: unknown): Denial {
    const refusal = error instanceof ApplicationError ? toInvalidRequest(error, openApis) : error
    return logDenial(logRefusal, 'registration', refusal)
  }

  function sendRefusedForm(error: unknown, fields: FormFields | undefined, req: IncomingMessage, res: ServerResponse) {
    const denied = readRefusal(error)
    if (res.headersSent) return sendDenial(req, res, denied)
    setHeaders(res, denied.headers)
    const problems = error instanceof RegistrationMistakes ? error.problems : NO_PROBLEMS
    const language = readPreferredLanguage(req) ?? 'en'
    const reason = problems.size > 0 ? undefined : describeRefusal(denied, TEXTS[language].refused, language)
    sendForm(req, res, denied.status, { fields, problems, reason })
  }

  function refuse(endpoint: Endpoint, error: unknown, req: IncomingMessage, res: ServerResponse): void {
    // A form that was refused before it was read.
    if (endpoint === routes.get('POST /') && isForm(req)) sendRefusedForm(error, undefined, req, res)
    else if (decisions && endpoint === routes.get('POST /decide')) decisions.refuse(error, req, res)
    else sendDenial(req, res, readRefusal(error))
  }

  return createRouter({
    find: (method, path) => routes.get(`${method} ${path}`),
    checkPost: (req) => refuseCrossSiteForm(req, origin),
    refuse,
  })
}

/** The address is relative to the form, wherever the host has mounted it, so that it cannot lead to another origin. */
function redirectToThanks(req: IncomingMessage, res: ServerResponse, query: string): void {
  const path = readOriginalPath(req)
  const last = path.slice(path.lastIndexOf('/') + 1)
  sendRedirect(res, `./${last === '' ? '' : `${last}/`}thanks${query}`)
}

function isForm(req: IncomingMessage): boolean {
  return parseMediaType(req).mediaType === 'application/x-www-form-urlencoded'
}

/** The message with only the characters that RFC 6749 5.2 allows in an error_description. */
function toInvalidRequest({ code, message }: ApplicationError, openApis: readonly string[]): OAuthError {
  // The answer is the same for both: strangers do not learn which closed APIs there are.
  const isUnknown = code === 'unknown_api' || code === 'api_closed'
  const description = isUnknown
    ? `apis has an API that is not open to registration. There are: ${openApis.join(', ')}.`
    : message
  return new OAuthError('invalid_request', description.replaceAll('"', "'").replace(/[^\x20-\x7E]|\\/g, ' '))
}

/** Counts the address first, so that nobody calls the host's functions without limit, and the contact, perhaps another's, last. */
function createAdmission({ rateLimits, logger }: Core, settings: RegistrationSettings) {
  const { allow, foldTags, ipv6Prefix, limits } = settings
  const limitRegistrations = rateLimits.create('registration', limits.registration, {
    setBy: 'registration.limits.registration',
    untrustedKeys: true,
  })
  const limitAllRegistrations = rateLimits.create('allRegistrations', limits.allRegistrations, {
    setBy: 'registration.limits.allRegistrations',
  })

  return async function admit(
    { verifyPerson, ...valid }: Omit<RegistrationCandidate, 'address'> & { readonly verifyPerson: () => Promise<void> },
    req: IncomingMessage,
  ): Promise<void> {
    await limitRegistrations?.(`address ${readClientAddress(req, ipv6Prefix)}`)
    await verifyPerson()
    if (allow) {
      const candidate = { ...valid, address: readIpAddress(req) }
      const answer: unknown = await callHost('registration.allow', () => allow(candidate, req), logger)
      if (answer === false) throw new OAuthError('access_denied', 'This registration is not accepted')
      if (answer !== true)
        throw new TypeError(`registration.allow answered ${describeValue(answer, 'nothing')}, not true or false.`)
    }
    const { contact } = valid
    await limitRegistrations?.(`contact ${foldTags ? removeTag(contact) : contact}`.toLowerCase())
    await limitAllRegistrations?.('all')
  }
}
