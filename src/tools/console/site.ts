import type { Api } from '../../index.js'
import type { JsonObject } from '../../shared/openapi/document.js'
import type { PageBrand } from '../../shared/web/page-brand.js'
import type { Assets } from './assets.js'
import type { ConsoleText } from './texts.js'

export interface Site {
  readonly title: string
  readonly apis: readonly Api[]
  readonly documents: ReadonlyMap<string, JsonObject>
  /** Whether the console links to the registration form. */
  readonly registration: boolean
  readonly hasEmails: boolean
  /** Whether the console links to the portal, where contacts manage their applications. */
  readonly portal: boolean
  readonly guides: readonly ConsoleText[]
  readonly changelog: ConsoleText | undefined
  readonly assets: Assets
  readonly brand: PageBrand
  readonly supportUrl: string | undefined
  /** The schemes of all APIs of the console, which share one authorization. */
  readonly schemes: readonly string[]
}
