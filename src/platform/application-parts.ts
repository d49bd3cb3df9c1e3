import { createApplicationCache, type ApplicationCache } from '../applications/records/application-cache.js'
import { createApplicationWriter, type ApplicationWriter } from '../applications/records/application-writer.js'
import { createApprovalLinks, type ApprovalLinks } from '../applications/decisions/approval-links.js'
import { createApplications } from '../applications/create.js'
import type { ImportedCredentials } from '../applications/imports/imported-credentials.js'
import { createImportParts } from '../applications/imports/import-parts.js'
import { createLastUsed, type LastUsed } from '../applications/credentials/last-used.js'
import { createActivation, type Activate } from '../applications/records/status.js'
import type { Api } from '../contracts/api.js'
import { createEmails, type Emails } from '../emails/create.js'
import { readClientAddress } from '../http/request.js'
import { toPublicApi } from '../options/read-apis.js'
import { createSignOuts } from '../applications/contacts/sign-outs.js'
import { createUsageParts } from '../usage/create.js'
import type { Foundation } from './foundation.js'

/** Records of applications, the e-mails that belong to them, and what is counted for them. */
export interface ApplicationParts {
  /** The APIs by name, as hosts and e-mails see them. */
  readonly publicApis: ReadonlyMap<string, Api>
  readonly importedCredentials: ImportedCredentials | undefined
  readonly applicationCache: ApplicationCache
  readonly writer: ApplicationWriter
  readonly lastUsed: LastUsed
  readonly activate: Activate
  readonly approvalLinks: ApprovalLinks
  readonly emails: Emails
  readonly calls: ReturnType<typeof createApplications>
  readonly usage: ReturnType<typeof createUsageParts>
}

export function createApplicationParts(foundation: Foundation): ApplicationParts {
  const { settings, store, credentials, clientLimits, opened, sessionSecret, emit, logger, now } = foundation
  const { apis, operators, cache } = settings
  const publicApis: ReadonlyMap<string, Api> = new Map([...apis].map(([name, api]) => [name, toPublicApi(api)]))
  const { importedCredentials, importReader } = createImportParts({
    ...foundation,
    credentials: credentials.get,
  })
  const applicationCache = createApplicationCache({
    store,
    limit: cache.applications,
    ...clientLimits,
    readAddress: readClientAddress,
    importedCredentials,
  })
  const maximumAges = { maxAge: settings.credentials.maxAge, apis }
  const hasMailer = settings.mailer !== undefined
  const writer = createApplicationWriter({ store, applicationCache, emit, maximumAges, tellsContacts: hasMailer, now })
  const lastUsed = createLastUsed({ store, now })
  const approvalLinks = createApprovalLinks({ deriveKey: sessionSecret.deriveKey, operators, now })
  const emails = createEmails({
    ...settings,
    ...foundation,
    apis: publicApis,
    writer,
    credentials: credentials.get,
    approvalLinks,
  })
  foundation.problems.push(emails.problem)
  const calls = createApplications({
    ...foundation,
    apis,
    writer,
    lastUsed,
    metadataSchema: settings.applicationMetadata,
    importReader,
    signOut: createSignOuts({ store, now }).addForContact,
    hasMailer,
    operators,
    remindBefore: settings.credentials.remindBefore,
    auditRetention: settings.auditRetention,
    onEmailDue: emails.wake,
    portalUrl: settings.portal.enabled ? settings.developersUrl : undefined,
  })
  const usage = createUsageParts({ settings: settings.usage, store, opened, logger, now })
  const activate = createActivation({ store, writer, limitChanges: clientLimits.limitChanges })
  return {
    publicApis,
    importedCredentials,
    applicationCache,
    writer,
    lastUsed,
    activate,
    approvalLinks,
    emails,
    calls,
    usage,
  }
}
