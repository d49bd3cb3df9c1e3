import { createSignOuts } from '../../core/applications/contacts/sign-outs.js'
import {
  any,
  application,
  members,
  withCheckedArguments,
  type CallParameters,
} from '../../core/applications/call-arguments.js'
import { actor } from '../../core/applications/call-parameters.js'
import { normalizeContact } from '../../core/applications/contacts/contact-lists.js'
import { guardWriter } from '../../core/applications/records/application-writer.js'
import { readContact } from '../../core/applications/records/validation.js'
import { ApplicationError, invalidArgument } from '../../shared/contracts/errors.js'
import { readPortalOptions, type PortalOptions, type PortalSettings } from './portal-options.js'
import type { MetadataOutput } from '../../shared/contracts/metadata-schema.js'
import type { Core, Feature, FeaturePart } from '../../feature.js'
import type { PlatformAuth } from '../../index.js'
import type { Portal, PortalLinkOptions } from './portal-calls.js'
import { createInvitations } from './invitations.js'
import type { CreateActionCalls } from './pages/action-page.js'
import { createPortalRouter } from './portal-router.js'

export type { SignOutContact } from '../../core/applications/contacts/sign-outs.js'
export type { PortalAction } from './portal-options.js'
export type { Portal, PortalLinkOptions } from './portal-calls.js'
export type { PortalLimits, PortalOptions } from './portal-options.js'

/** What `portal()` returns, for the option `features`. */
export interface PortalFeature extends Feature<'portal'> {
  readonly calls?: Portal<MetadataOutput<this['schema']>>
}

/** Any platform that was given `portal()`. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function that takes any platform can't know its APIs' names and its schema
export type WithPortal = PlatformAuth<any, any, readonly [PortalFeature]>

/**
 * Pages on which contacts manage their applications, after they signed in with a link from an e-mail: `auth.portal`. It needs
 * `emails()` and the option `developersUrl`. It throws nothing; `createPlatformAuth()` validates its options.
 *
 * @example
 * ```ts
 * import { createPlatformAuth } from 'express-platform-auth'
 * import { emails } from 'express-platform-auth/emails'
 * import { portal } from 'express-platform-auth/portal'
 * import { memoryMailer } from 'express-platform-auth/testing'
 *
 * const auth = createPlatformAuth({
 *   baseUrl: 'http://localhost:3000',
 *   developersUrl: 'http://localhost:3000/developers',
 *   apis: { catalog: { scheme: 'apiKey' } },
 *   features: [emails({ mailer: memoryMailer() }), portal()],
 * })
 * ```
 */
export function portal(options?: PortalOptions): PortalFeature {
  return {
    name: 'portal',
    needs: ['emails'],
    mayUse: ['registration', 'plans', 'usage'],
    optionNeeds: findOptionNeeds(options),
    storeParts: ['emails', 'signIns'],
    pages: { portal: '/applications' },
    prepare({ developersUrl }) {
      const settings = readPortalOptions(options, developersUrl)
      return (core) => createPortalPart(core, settings)
    },
  }
}

/** Both are calls of `registration()`. They are off without it, and refused if they are turned on. */
function findOptionNeeds(options: PortalOptions | undefined): Readonly<Record<string, string>> {
  const given = (['requestAccess', 'acceptTerms'] as const).filter((action) => options?.actions?.[action] === true)
  return Object.fromEntries(given.map((action) => [`portal.actions.${action}`, 'registration']))
}

const PARAMETERS: CallParameters<Omit<Portal, 'router'>> = {
  link: [members<PortalLinkOptions>({ contact: 'own', applicationId: 'text' })],
  signOut: [any],
  invite: [application, any, actor],
}

function createPortalPart(core: Core, settings: PortalSettings): FeaturePart {
  const { store, opened } = core
  const { router, createLink } = createPortalRouter(core, settings, createActionCalls(core))

  async function link({ contact, applicationId }: PortalLinkOptions): Promise<string> {
    if ((contact === undefined) === (applicationId === undefined)) throw invalidArgument(LINK_ARGUMENT)
    await opened()
    if (applicationId === undefined) return createLink(normalizeContact(readContact(contact)), undefined)
    const found = await store.findApplication(applicationId)
    if (found?.contact !== undefined) return createLink(normalizeContact(found.contact), applicationId)
    throw new ApplicationError('application_not_found', `There is no application ${applicationId} with a contact.`)
  }

  const createCalls = (writer: Core['writer']) =>
    withCheckedArguments(PARAMETERS, {
      link,
      signOut: createSignOuts(core).signOut,
      invite: createInvitations(core, writer).invite,
    })
  return { calls: { ...createCalls(core.writer), router }, createCalls }
}

function createActionCalls(core: Core): CreateActionCalls {
  return (check) => ({
    applications: core.createGuardedCalls({ check }),
    invite: createInvitations(core, guardWriter(core.writer, { check })).invite,
    requestAccess: (id, request) => core.find('registration')!.requestAccess(check, id, request),
    acceptTerms: (id, by) => core.find('registration')!.acceptTerms(check, id, by),
  })
}

const LINK_ARGUMENT = 'link() takes { contact } or { applicationId }.'
