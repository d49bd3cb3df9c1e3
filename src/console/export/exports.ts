import type { Api } from '../../index.js'
import type { JsonObject } from '../../openapi/document.js'
import { createDocumentResource, type Resource } from '../resource.js'
import { createBrunoCollection } from './bruno.js'
import { writeReference } from './markdown.js'
import { createPostmanCollection } from './postman.js'
import { stringifyYaml } from './yaml.js'
import { createZip } from './zip.js'

/** The forms in which programs get the document of an API. */
export function listExports(
  api: Api,
  document: JsonObject,
  options: { readonly registration: boolean },
): [path: string, resource: () => Resource][] {
  const path = `/apis/${api.name}`
  return [
    [`${path}.md`, createDocumentResource(MARKDOWN_TYPE, () => `${writeReference(api, document, options)}\n`)],
    [`${path}/openapi.json`, createDocumentResource(JSON_TYPE, () => writeJson(document))],
    // RFC 9512.
    [`${path}/openapi.yaml`, createDocumentResource('application/yaml', () => stringifyYaml(document))],
    [`${path}/postman.json`, createDocumentResource(JSON_TYPE, () => writeJson(createPostmanCollection(api, document)), saveAs(`${api.name}.postman_collection.json`))], // prettier-ignore
    [`${path}/bruno.zip`, createDocumentResource('application/zip', () => createZip(createBrunoCollection(api, document)), saveAs(`${api.name}-bruno.zip`))], // prettier-ignore
  ]
}

/** RFC 7763. */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

function writeJson(value: JsonObject): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Names of APIs need no quoting. */
function saveAs(name: string): Resource['headers'] {
  return { 'Content-Disposition': `attachment; filename="${name}"` }
}
