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

/**
 * An application of another system, as `auth.imports.run()` takes it: a line of a file, or an object. What is left out
 * is as after `create`.
 */
export interface ImportedApplication {
  readonly name: string
  /** A list of API names, each with all scopes that it has now; or name -> the scopes granted there. */
  readonly apis: readonly string[] | { readonly [api: string]: { readonly scopes?: readonly string[] } }
  /** The id in the other system, by which a line is known again; if left out, its first credential is. */
  readonly externalId?: string | undefined
  readonly contact?: string | undefined
  /** `active` if left out. */
  readonly status?: 'active' | 'suspended' | undefined
  readonly metadata?: object | undefined
  /** ISO 8601 with a time zone, or a `Date`; the time of the import if left out. */
  readonly createdAt?: string | Date | undefined
  /** A public identifier (RFC 6749 2.2), which clients send as `client_id`. Unlike a key it opens no API by itself, so it may be short. */
  readonly clientId?: string | undefined
  readonly keys?: readonly ImportedKey[] | undefined
  readonly secrets?: readonly ImportedSecret[] | undefined
}

/** A credential of another system: the members of every kind. */
interface ImportedCredential {
  /** The plain text: 16 to 512 visible ASCII characters; a secret may also contain spaces. */
  readonly plain?: string | undefined
  /** The SHA-256 digest of the plain text, in hexadecimal, base64 or base64url; the same for the digests below. */
  readonly sha256?: string | undefined
  readonly sha512?: string | undefined
  /** HMAC-SHA-256 under the key of `imports({ hmacKey })`. */
  readonly hmacSha256?: string | undefined
  /** `default` if left out, `default-2` for the second one, and so on. */
  readonly name?: string | undefined
  /** ISO 8601 with a time zone, or a `Date`; that of the application if left out. */
  readonly createdAt?: string | Date | undefined
  /** ISO 8601 with a time zone, or a `Date`; it does not expire if left out. */
  readonly expiresAt?: string | Date | undefined
  /** Restricts the credential to some of the application's APIs and scopes, in the form of the application's `apis`. */
  readonly apis?: ImportedApplication['apis'] | undefined
}

/** A key of another system, with its plain text or one digest of it. */
export type ImportedKey = ImportedCredential

/** A secret of another system, with its plain text or one hash of it. */
export interface ImportedSecret extends ImportedCredential {
  /** The bcrypt hash, such as `$2b$12$...`. Needs the package `@node-rs/bcrypt`. */
  readonly bcrypt?: string | undefined
  /** A PHC string, such as `$argon2id$v=19$m=65536,t=3,p=4$...`. Needs the package `@node-rs/argon2`. */
  readonly argon2id?: string | undefined
}

/** The input of an import: applications, or lines of JSON (NDJSON), one application each. */
export type ImportSource = AsyncIterable<ImportedApplication | string> | Iterable<ImportedApplication | string>

/** The options of an import. */
export interface ImportOptions {
  /** Whether applications are stored; if left out, everything is checked and nothing is stored. */
  readonly confirm?: boolean | undefined
  /** A person, a job or a ticket, for the audit log. */
  readonly by?: string | undefined
  /** Called for each line that is refused, with its number (from 1) and the reason. The import waits for what it returns. */
  readonly onRefused?: ((line: number, reason: string) => unknown) | undefined
}

/** The number of lines that an import has read, and their outcomes. */
export interface ImportSummary {
  /** The number of lines, without blank ones. */
  readonly read: number
  /** Applications that were added; without `confirm`, that would be. */
  readonly added: number
  /** Lines whose application was there already. It is left as it is. */
  readonly unchanged: number
  readonly refused: number
  readonly confirmed: boolean
}
