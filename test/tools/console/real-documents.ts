import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, extname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { ApiOptions } from '../../../src/index.js'
import type { JsonObject } from '../../../src/shared/openapi/document.js'

/** A document that a provider publishes, and the scheme of the API that gets it. */
export interface RealDocument {
  readonly scheme: ApiOptions['scheme']
  /** As for the console's option `documents`: an object, or the path of a file. */
  readonly read: () => JsonObject | string
}

const require = createRequire(import.meta.url)

/** Documents of `documents/` by the name of their file. */
const COMPRESSED = {
  github: 'apiKey',
  digitalocean: 'oauth2',
  box: 'oauth2',
  twilio: 'apiKey',
  spotify: 'oauth2',
} as const

/** Documents of `@readme/oas-examples`: each has what few others have. */
const EXAMPLES = {
  'petstore-30': ['oauth2', '3.0/json/petstore.json'],
  'petstore-31': ['oauth2', '3.1/json/petstore.json'],
  'petstore-yaml': ['oauth2', '3.1/yaml/petstore.yaml'],
  callbacks: ['apiKey', '3.0/yaml/callbacks.yaml'],
  links: ['apiKey', '3.0/json/link-example.json'],
  uploads: ['apiKey', '3.0/json/file-uploads.json'],
  forms: ['apiKey', '3.0/json/form-data.json'],
  webhooks: ['apiKey', '3.1/json/webhooks.json'],
  styles: ['apiKey', '3.1/json/parameters-style.json'],
  types: ['apiKey', '3.1/json/schema-types.json'],
  circular: ['apiKey', '3.0/json/circular.json'],
  discriminators: ['apiKey', '3.0/json/discriminators.json'],
  polymorphism: ['apiKey', '3.0/json/polymorphism.json'],
  enums: ['apiKey', '3.0/json/schema-enums.json'],
  bodies: ['apiKey', '3.0/json/request-examples.json'],
  'star-trek': ['apiKey', '3.0/json/star-trek.json'],
  train: ['oauth2', '3.1/yaml/train-travel.yaml'],
} as const

export type RealDocumentName = keyof typeof COMPRESSED | keyof typeof EXAMPLES

/** All of them, those of the folder `REAL_DOCUMENTS` too. */
export function listRealDocuments(): Map<string, RealDocument> {
  const names = [...Object.keys(EXAMPLES), ...Object.keys(COMPRESSED)] as RealDocumentName[]
  const { REAL_DOCUMENTS: folder } = process.env
  const more = folder === undefined ? [] : readdirSync(folder)
  return new Map<string, RealDocument>([
    ...names.map((name) => [name, findRealDocument(name)] as const),
    ...more.map((file) => {
      const name = basename(file, extname(file))
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
      return [name, { scheme: 'oauth2', read: () => join(folder!, file) }] as const
    }),
  ])
}

export function findRealDocument(name: RealDocumentName): RealDocument {
  if (name in COMPRESSED) return { scheme: COMPRESSED[name as keyof typeof COMPRESSED], read: () => decompress(name) }
  const [scheme, path] = EXAMPLES[name as keyof typeof EXAMPLES]
  return { scheme, read: () => require.resolve(`@readme/oas-examples/${path}`) }
}

function decompress(name: string): JsonObject {
  const file = new URL(`documents/${name}.json.br`, import.meta.url)
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as JsonObject
}
