import { asObject, type JsonObject } from '../../../shared/openapi/document.js'
import { readList, readText } from './resolve.js'
import { words } from '../words.js'

/** A sample that the provider wrote for an operation. */
export interface CodeSample {
  readonly label: string
  readonly language: string
  readonly code: string
}

/** The samples of `x-codeSamples`, which Redocly and others read; `x-code-samples` is its older name. */
export function listCodeSamples(operation: JsonObject): CodeSample[] {
  return readList(operation['x-codeSamples'] ?? operation['x-code-samples']).flatMap((given) => {
    const { lang, label, source } = asObject(given)
    const [language, code] = [readText(lang) ?? '', readText(source)]
    return code === undefined ? [] : [{ label: readText(label) ?? (language || words().sample), language, code }]
  })
}
