import type { Api } from '../../../index.js'
import { escapeHidden } from '../../../shared/lib/visible-text.js'
import type { JsonObject } from '../../../shared/openapi/document.js'
import { createDocumentResource, type MakeResource } from '../resource.js'
import { writeReference } from './markdown.js'
import { stringifyYaml } from './yaml.js'

/** The forms in which programs get the document of an API. */
export function listExports(
  api: Api,
  document: JsonObject,
  options: { readonly registration: boolean },
): [path: string, resource: MakeResource][] {
  const path = `/apis/${api.name}`
  return [
    [
      `${path}.md`,
      createDocumentResource(MARKDOWN_TYPE, () => escapeHidden(`${writeReference(api, document, options)}\n`)),
    ],
    [`${path}/openapi.json`, createDocumentResource(JSON_TYPE, () => writeJson(document))],
    // RFC 9512.
    [`${path}/openapi.yaml`, createDocumentResource('application/yaml', () => stringifyYaml(document))],
  ]
}

/** RFC 7763. */
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

function writeJson(value: JsonObject): string {
  return escapeHidden(`${JSON.stringify(value, null, 2)}\n`)
}
