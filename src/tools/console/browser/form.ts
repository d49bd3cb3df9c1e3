import { isElement, findAll } from './elements.js'
import { findJsonProblem } from './json.js'
import { isObject } from '../../../shared/lib/own-members.js'
import { createBody, type BodyInput, type FieldEncoding, type FieldInput } from '../../../shared/samples/body.js'
import { isJson, type Parameter, type Value } from '../../../shared/samples/serialize.js'
import { buildUrl, hasDotSegment, type CallInput } from '../../../shared/samples/request.js'
import { callWords } from './words.js'

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

export interface Problem {
  readonly control: Control
  readonly text: string
}

/**
 * The values of the form of an operation, read as the attributes of its controls say, and its problems. If there are some, the input has
 * all usable values, for samples.
 */
export function readForm(form: HTMLFormElement, resource: string): { input: CallInput; problems: readonly Problem[] } {
  const problems: Problem[] = []
  const parameters = readParameters(form, '.parameters [data-in]', problems)
  const { method = 'GET', path = '', accept } = form.dataset
  const body = readBody(form, problems)
  const input = { method, resource, path, parameters, accept: accept || undefined, body: body && createBody(body) }
  if (hasDotSegment(buildUrl(input))) {
    const control = findControls(form, '.parameters [data-in="path"]').find(({ value }) =>
      /^\.{1,2}$/.test(value.trim()),
    )
    if (control) problems.push({ control, text: callWords.pathPart })
  }
  return { input, problems }
}

export function findControls(parent: ParentNode, selector: string): Control[] {
  return findAll(parent, selector).filter((each) => each.matches('input, select, textarea')) as Control[]
}

function readParameters(parent: ParentNode, selector: string, problems: Problem[]): Parameter[] {
  return findControls(parent, selector).flatMap((control) => {
    const value = readControl(control, problems)
    if (value === undefined) return []
    return [{ ...readEncoding(control), in: control.dataset['in'] as Parameter['in'], value }]
  })
}

export function readEncoding({ dataset }: Control): FieldEncoding {
  const { name = '', style, explode, media, headers, allowReserved } = dataset
  return {
    name,
    ...(style !== undefined && { style }),
    ...(explode !== undefined && { explode: explode === 'true' }),
    ...(media !== undefined && { mediaType: media }),
    ...(headers !== undefined && { headers: JSON.parse(headers) as [name: string, value: string][] }),
    allowReserved: allowReserved === 'true',
  }
}

/** Undefined for a value that is not sent: an empty optional field, or one with a problem. */
function readControl(control: Control, problems: Problem[]): Value | undefined {
  const { dataset } = control
  const complain = (text: string): undefined => void problems.push({ control, text })
  if (isElement(control, 'select') && control.multiple) {
    const chosen = [...control.selectedOptions].map(({ value }) => value)
    if (chosen.length > 0) return chosen
    return control.required ? complain(callWords.required) : undefined
  }
  if (control.validity.badInput) return complain(callWords.incomplete)
  const text = control.value
  if (text.trim() === '' && (text === '' || dataset['type'] !== 'string'))
    return control.required ? complain(callWords.required) : undefined
  const reading = readValue(text, dataset['type'] ?? 'string')
  return 'problem' in reading ? complain(reading.problem) : reading.value
}

function readBody(form: HTMLFormElement, problems: Problem[]): BodyInput | undefined {
  const panel = findAll(form, '.body > [data-media]').find((each) => !each.hidden)
  if (!panel) return undefined
  const mediaType = panel.dataset['media'] ?? ''
  const [body] = findControls(panel, '[data-role="body"]')
  if (!body) return readFields(panel, mediaType, problems)
  const isRequired = body.required || panel.parentElement?.dataset['required'] === 'true'
  if (isElement(body, 'input') && body.type === 'file') {
    const file = body.files?.[0]
    if (!file && isRequired) problems.push({ control: body, text: callWords.chooseFile })
    return file && { mediaType, file }
  }
  // Browsers turn CRLF into LF.
  const text = body.dataset['lineBreak'] === 'crlf' ? body.value.replaceAll('\n', '\r\n') : body.value
  if (text.trim() === '') {
    if (isRequired) problems.push({ control: body, text: callWords.required })
    return undefined
  }
  const problem = isJson(mediaType) ? findJsonProblem(text) : undefined
  if (problem !== undefined) problems.push({ control: body, text: problem })
  return { mediaType, text }
}

function readFields(panel: HTMLElement, mediaType: string, problems: Problem[]): BodyInput {
  const fields = findControls(panel, '[data-in="body"]').flatMap((control): FieldInput[] => {
    const encoding = readEncoding(control)
    if (!isElement(control, 'input') || control.type !== 'file') {
      const value = readControl(control, problems)
      return value === undefined ? [] : [{ ...encoding, value }]
    }
    const files = [...(control.files ?? [])]
    if (files.length === 0 && control.required) problems.push({ control, text: callWords.chooseFile })
    return [{ ...encoding, files }]
  })
  return { mediaType, fields }
}

export type Reading = { readonly value: Value } | { readonly problem: string }

/** Reads the text of a field as its type (`data-type`) says. Numbers are sent as they were typed. */
export function readValue(text: string, type: string): Reading {
  const trimmed = text.trim()
  switch (type) {
    case 'integer':
      return /^[+-]?\d+$/.test(trimmed) ? { value: trimmed } : { problem: callWords.wholeNumber }
    case 'number':
      return Number.isFinite(Number(trimmed)) ? { value: trimmed } : { problem: callWords.number }
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false' ? { value: trimmed } : { problem: callWords.boolean }
    case 'array':
      return trimmed.startsWith('[') ? readJson(trimmed, Array.isArray, callWords.array) : { value: readList(trimmed) }
    case 'object':
      return readJson(trimmed, isObject, callWords.object)
    case 'json':
      return readJson(trimmed, () => true, '')
    default:
      return { value: text }
  }
}

function readJson(text: string, isAllowed: (value: unknown) => boolean, problem: string): Reading {
  const syntaxProblem = findJsonProblem(text)
  if (syntaxProblem !== undefined) return { problem: [syntaxProblem, problem].filter(Boolean).join(' ') }
  const value = JSON.parse(text) as Value
  return isAllowed(value) ? { value } : { problem }
}

function readList(text: string): string[] {
  return text
    .split(text.includes('\n') ? '\n' : ',')
    .map((each) => each.trim())
    .filter(Boolean)
}
