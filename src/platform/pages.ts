import type { Middleware } from '../http/middleware.js'
import { createPageBrand } from '../web/page-brand.js'
import { createPortal, type Portal } from '../portal/create.js'
import { createAdmission } from '../registration/admission.js'
import { createRegistrationRouter } from '../registration/router.js'
import type { ApplicationParts } from './application-parts.js'
import type { Foundation } from './foundation.js'

/** The pages on which developers register, claim credentials and manage applications, and operators decide. */
export function createPages(
  foundation: Foundation,
  parts: ApplicationParts,
): { readonly registrationRouter: Middleware; readonly portal: Portal; readonly portalRouter: Middleware } {
  const { settings, clientLimits, sessionSecret } = foundation
  const { developersUrl, operators, mailer } = settings
  const { calls, emails, usage } = parts
  const portalUrl = settings.portal.enabled ? developersUrl : undefined
  const shared = {
    ...foundation,
    ...clientLimits,
    brand: createPageBrand(settings.brand),
    developersUrl,
    limits: settings.rateLimits,
  }
  const apis = [...settings.apis.values()]
  const registrationRouter = createRegistrationRouter({
    ...shared,
    apis,
    prepareRegistration: calls.prepareRegistration,
    claim: emails.claim,
    admit: createAdmission({ ...shared, ...settings.registration }),
    portalUrl: portalUrl === undefined ? undefined : `${portalUrl}/applications`,
    approval: operators.length > 0 ? { links: parts.approvalLinks, approvals: calls.approvals } : undefined,
  })
  const portal = createPortal({
    ...shared,
    deriveKey: sessionSecret.deriveKey,
    acceptInvitation: calls.acceptInvitation,
    confirmContact: calls.confirmContact,
    sendSignIn: emails.sendSignIn,
    enabled: mailer !== undefined && settings.portal.enabled,
    developersUrl: portalUrl,
    pages: {
      apis,
      actions: settings.portal.actions,
      createCheckedCalls: calls.createCheckedCalls,
      findLatestExpiry: parts.writer.findLatestExpiry,
      ...(settings.usage.enabled && usage.calls),
      flushLastUsed: parts.lastUsed.flush,
    },
  })
  return { registrationRouter: mailer ? registrationRouter : (_req, _res, next) => next(), ...portal }
}
