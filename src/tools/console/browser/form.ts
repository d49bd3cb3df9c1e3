import { isElement, findAll } from './elements.js'
import { findJsonProblem } from './json.js'
import { createBody, type BodyInput, type FieldEncoding, type FieldInput } from '../../../shared/samples/body.js'
import { isJson } from '../../../shared/samples/media-type.js'
import { buildUrl, hasDotSegment, type CallInput } from '../../../shared/samples/request.js'
import type { Parameter, Value } from '../../../shared/samples/serialize.js'
import { readValue } from './values.js'
import { callWords } from './words.js'

export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The values of a form, and its problems. If there are problems, the input has all usable values, for samples. */
export interface FormReading {
  readonly input: CallInput
  readonly problems: readonly Problem[]
}

export interface Problem {
  readonly control: Control
  readonly text: string
}

/** Reads the form of an operation as the attributes of its controls say. */
export function readForm(form: HTMLFormElement, resource: string): FormReading {
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

/** The panel of the chosen media type of the body. */
function findBodyPanel(form: HTMLFormElement): HTMLElement | undefined {
  return findAll(form, '.body > [data-media]').find((each) => !each.hidden)
}

export function findControls(parent: ParentNode, selector: string): Control[] {
  return findAll(parent, selector).filter(isControl)
}

function isControl(element: Element): element is Control {
  return isElement(element, 'input') || isElement(element, 'select') || isElement(element, 'textarea')
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
  const panel = findBodyPanel(form)
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
