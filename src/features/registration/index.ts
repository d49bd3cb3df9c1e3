import { createOperatorDataReader } from '../../core/applications/records/metadata.js'
import {
  withCheckedArguments,
  application,
  members,
  type CallParameters,
} from '../../core/applications/call-arguments.js'
import { guardWriter } from '../../core/applications/records/application-writer.js'
import type { RegistrationOffer } from '../../shared/contracts/offers.js'
import type { MetadataInput, MetadataOutput } from '../../shared/contracts/metadata-schema.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import type { PlatformAuth } from '../../index.js'
import { createPrepareRegistration, createRequestAccess, type Registration } from './register.js'
import { readRegistrationOptions, type RegistrationOptions, type RegistrationSettings } from './registration-options.js'
import { createRegistrationRouter } from './registration-router.js'
import { acceptTerms, readAcceptance } from './terms.js'

export type { Registration } from './register.js'
export type { RegistrationCaptcha, VerifyCaptcha } from './captcha.js'
export type { RegistrationFields, RegistrationInput } from './registration-fields.js'
export type { LocalText } from './local-text.js'
export type { RegistrationTerms } from './terms.js'
export type {
  AllowRegistration,
  RegistrationCandidate,
  RegistrationLimits,
  RegistrationOptions,
} from './registration-options.js'

/** What `registration()` returns, for the option `features`. */
export interface RegistrationFeature extends Feature<'registration'> {
  readonly calls?: Registration<
    keyof this['apis'] & string,
    MetadataInput<this['schema']>,
    MetadataOutput<this['schema']>
  >
}

/** Any platform that was given `registration()`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export type WithRegistration = PlatformAuth<any, any, readonly [RegistrationFeature]>

/**
 * Lets developers register their applications, with a form or JSON, and operators decide about them: `auth.registration`. The
 * credentials are sent by e-mail, so it needs `emails()`. It throws nothing; `createPlatformAuth()` validates its options.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { emails } from 'express-platform-auth/emails'
 * import { registration } from 'express-platform-auth/registration'
 * import { memoryMailer } from 'express-platform-auth/testing'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   features: [emails({ mailer: memoryMailer() }), registration()],
 * })
 * ```
 */
export function registration(options?: RegistrationOptions): RegistrationFeature {
  return {
    name: 'registration',
    needs: ['emails'],
    mayUse: ['plans'],
    storeParts: ['emails'],
    // Without operators this process can't write their e-mails, which another may.
    pages: { register: '/register', ...(options?.operators?.length && { decide: '/register/decide' }) },
    prepare({ developersUrl }) {
      const settings = readRegistrationOptions(options, developersUrl)
      return (core) => createRegistrationPart(core, settings)
    },
  }
}

const PARAMETERS: CallParameters<Omit<Registration, 'router'>> = {
  register: [
    members<Parameters<Registration['register']>[0]>({
      name: 'own',
      contact: 'own',
      apis: 'own',
      language: 'own',
      keySet: 'own',
      terms: 'text',
      externalId: 'own',
      metadata: 'own',
      by: 'text',
    }),
  ],
  requestAccess: [
    application,
    members<Parameters<Registration['requestAccess']>[1]>({ api: 'text', scopes: 'own', by: 'text' }),
  ],
}

function createRegistrationPart(core: Core, settings: RegistrationSettings): FeaturePart {
  const { operators, terms } = settings
  const readOperatorData = createOperatorDataReader(core.settings.metadata)
  const createCalls = (writer: Core['writer']) =>
    withCheckedArguments(PARAMETERS, {
      // The function is async, so that a mistake rejects.
      async register(given: Parameters<Registration['register']>[0]) {
        const prepared = await createPrepareRegistration(core, operators, writer)(given)
        const acceptedTerms = readAcceptance(terms, given.terms, core.now())
        return prepared.save(undefined, { ...(await readOperatorData(given)), acceptedTerms })
      },
      requestAccess: createRequestAccess(core, operators, writer),
    })
  const offers: RegistrationOffer = {
    isOperator: (address) => operators.includes(address),
    requestAccess: (check, id, request) =>
      createRequestAccess(core, operators, guardWriter(core.writer, { check }))(id, request),
    terms,
    async acceptTerms(check, id, by) {
      if (terms) await acceptTerms(guardWriter(core.writer, { check }), terms, { id, by, at: core.now() })
    },
  }
  const router = createRegistrationRouter(core, settings)
  return { calls: { ...createCalls(core.writer), router }, createCalls, offers }
}
