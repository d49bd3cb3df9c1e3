import type { FormFields } from '../../core/http/form.js'
import type { PlatformParts } from '../../core/platform/core-auth.js'
import type { Core } from '../../feature.js'
import type { Emails } from '../../features/emails/index.js'
import type { Plans } from '../../features/plans/index.js'
import type { Usage } from '../../features/usage/index.js'
import type { CoreAuth } from '../../index.js'
import type { Language } from '../../shared/contracts/application-record.js'
import type { PLATFORM_PARTS } from '../../shared/contracts/platform-parts.js'
import { callInTime } from '../../shared/lib/timeout.js'
import type { Problem } from '../../shared/web/form-field.js'
import type { getFormats } from '../../shared/web/formats.js'
import type { Html } from '../../shared/web/html.js'
import type { Operation } from '../operations/operation.js'
import { isForManagement, type ActionContext, type CallName, type Scope } from '../operations/operator-calls.js'
import { offers, OPERATIONS } from '../operations/perform.js'
import type { OperatorTexts } from './texts/en.js'

export type Platform = CoreAuth & {
  readonly emails?: Emails
  readonly plans?: Plans
  readonly usage?: Usage
  readonly [PLATFORM_PARTS]?: PlatformParts
}

export interface Site {
  readonly auth: Platform
  readonly core: Core
  readonly planNames: readonly string[]
  readonly listFindings: () => Promise<readonly Html[]>
}

export interface Visit extends Site {
  readonly method: 'GET' | 'POST'
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly fields: FormFields
  readonly operator: string
  /** Whether the operator may perform an operation, which the platform then has; with its own right if no other one is named. */
  readonly may: (action: CallName, scope?: Scope) => boolean
  readonly mayDoAll: boolean
  /** The path where the pages are mounted, without a slash at its end. */
  readonly root: string
  /** What a form of this path carries, so that no other site can send it. */
  readonly formToken: string
  readonly language: Language
  readonly texts: OperatorTexts
  readonly formats: ReturnType<typeof getFormats>
  readonly now: number
}

export type TabName = keyof OperatorTexts['tabs']

export interface PageAnswer {
  readonly status?: number
  readonly heading: string
  readonly tab?: TabName
  readonly state?: Html
  /** The actions that are about no single row, at the right of the heading. */
  readonly actions?: Html | false
  readonly content: Html
  /** A form or a message: narrow, in the middle. */
  readonly isNarrow?: boolean
  /** A path below the pages, and the heading of the page there, to which this one belongs. */
  readonly parent?: readonly [path: string, heading: string] | undefined
  /** The problem, above the content. The title, announced first, names it too. */
  readonly problem?: Problem | undefined
}

export type Answer =
  | PageAnswer
  /** A path below the pages. */
  | { readonly redirect: string }
  | { readonly csv: string; readonly name: string }
  /** A page of others, which a page shows in a frame where nothing of it can run. */
  | { readonly framed: string }

/** Answers a visit; undefined if there is no such page, or none for this operator. */
export type Page = (visit: Visit) => Promise<Answer | undefined>

export const OPERATIONS_BY_NAME: ReadonlyMap<CallName, Operation> = new Map(OPERATIONS.map((each) => [each.name, each]))

export type Can = (operator: string, action: CallName, context: ActionContext) => unknown

/**
 * Asks the host for each operation that the platform has. Only `true` allows one: neither an error nor a promise of anything else does. Who
 * is not allowed everything gets no `:write` right for an application that has access to management or is a resource server: its credentials
 * would give the rights that `can` withholds.
 */
export async function findRights(
  { auth, core }: Site,
  can: Can | undefined,
  operator: string,
  applicationId: string | undefined,
): Promise<Pick<Visit, 'may' | 'mayDoAll'>> {
  const asked = OPERATIONS.filter((operation) => offers(auth, operation)).flatMap(({ name, scope, memberScopes }) =>
    [scope, ...Object.values(memberScopes)].map((each) => ({ name, scope: each })),
  )
  const isAllowed = async ({ name, scope }: (typeof asked)[number], about?: string): Promise<boolean> => {
    try {
      return can === undefined || (await can(operator, name, { scope, applicationId: about })) === true
    } catch (error) {
      core.logger.error('The option "can" of operatorPages() has failed, so the operation is not allowed.', error)
      return false
    }
  }
  const ask = (about?: string) => Promise.all(asked.map((each) => isAllowed(each, about)))
  const [answers, mayDoAll] = await callInTime('The option "can" of operatorPages()', async () => {
    const own = await ask(applicationId)
    // A host may decide by the application. So it is also asked about no application, and about one that does not exist.
    const isAll = own.every(Boolean) && [...(await ask()), ...(await ask(NO_APPLICATION))].every(Boolean)
    return [own, isAll] as const
  })
  const record = mayDoAll || applicationId === undefined ? undefined : await core.store.findApplication(applicationId)
  const isOfManagement = auth.apis.some((api) => isForManagement(api) && record && Object.hasOwn(record.apis, api.name))
  const isProtected = isOfManagement || record?.resourceServer !== undefined
  const allowed = asked.filter(({ scope }, at) => answers[at] && !(isProtected && scope.endsWith(':write')))
  const rights = new Set(allowed.map(({ name, scope }) => `${name} ${scope}`))
  const may: Visit['may'] = (action, scope = OPERATIONS_BY_NAME.get(action)!.scope) => rights.has(`${action} ${scope}`)
  return { may, mayDoAll }
}

const NO_APPLICATION = `app_${'0'.repeat(32)}`

/** The APIs to which the operator may give access. */
export function listGrantable({ auth, mayDoAll }: Visit): Platform['apis'] {
  return auth.apis.filter((api) => mayDoAll || !isForManagement(api))
}

/** Operations that show ids and counts do not tell whose they are. */
export function maySeeNames({ may }: Pick<Visit, 'may'>): boolean {
  return may('applications.list') || may('applications.get')
}
