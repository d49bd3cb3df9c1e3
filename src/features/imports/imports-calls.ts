import type { ImportOptions, ImportSource, ImportSummary } from './import-api.js'

/** `auth.imports`: applications of another system, with the credentials that it issued. */
export interface Imports {
  /**
   * Adds applications of another system, with the credentials that they have (docs/import.md): lines of JSON, or objects. A line
   * that is wrong is reported, and the others are imported. An application that is there already is left as it is, so an import
   * can be repeated. Nothing is stored without `confirm: true`.
   *
   * @example
   * ```ts
   * import { createReadStream } from 'node:fs'
   * import { createInterface } from 'node:readline'
   * import type { WithImports } from 'express-platform-auth/imports'
   *
   * async function importPartners(auth: WithImports): Promise<void> {
   *   const lines = createInterface({ input: createReadStream('partners.ndjson') })
   *   const { added, refused } = await auth.imports.run(lines, {
   *     confirm: true,
   *     onRefused: (line, reason) => console.error(`line ${line}: ${reason}`),
   *   })
   *   console.log(`${added} added, ${refused} refused`)
   * }
   * ```
   */
  run(source: ImportSource, options?: ImportOptions): Promise<ImportSummary>
}
