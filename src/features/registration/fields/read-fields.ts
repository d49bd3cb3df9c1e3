import type { MetadataSchema } from '../../../shared/contracts/metadata-schema.js'
import { isObject } from '../../../shared/lib/is-object.js'
import { ownMembers } from '../../../shared/lib/own-members.js'
import { invalidOption, readBoolean, readGroup, readWholeNumber } from '../../../shared/lib/option-checks.js'
import { readMetadataSchema } from '../../../core/options/read-metadata-schema.js'
import { readLocalText, type LocalText } from '../local-text.js'

/** Fields of your own in the registration form. Their values become the application's `metadata`. */
export interface RegistrationFields {
  /** Member of `metadata` -> its control, in the order of the form: 1 to 20. */
  readonly inputs: Readonly<Record<string, RegistrationInput>>
  /**
   * A Standard Schema of all values together, which may also change them. It is asked without a limit, so it must not ask another
   * service. The option `metadata` of the platform, which judges the result in any case, if left out.
   */
  readonly schema?: MetadataSchema | undefined
}

/** One control of the registration form. */
export interface RegistrationInput {
  readonly label: LocalText
  /** The control; `text` if left out. `checkbox` has true or false, every other a text, or no member if it is empty. */
  readonly type?: InputType | undefined
  /** Whether it must be filled in, or ticked; false if left out. */
  readonly required?: boolean | undefined
  /** A sentence below the label. */
  readonly hint?: LocalText | undefined
  /** The token of HTML's `autocomplete`, such as `organization`; `off` if left out. */
  readonly autocomplete?: string | undefined
  /** The most characters of a text; 200 if left out, 1000 for a `textarea`. */
  readonly maxLength?: number | undefined
  /** The choices of a `select`, 1 to 100. */
  readonly options?: readonly (string | { readonly value: string; readonly label: LocalText })[] | undefined
}

type InputType = 'text' | 'textarea' | 'email' | 'url' | 'select' | 'checkbox'

/** A validated input. */
export interface InputSettings {
  readonly name: string
  /** Its name in the form, and its id in the page. */
  readonly id: string
  readonly label: LocalText
  readonly type: InputType
  readonly required: boolean
  readonly hint: LocalText | undefined
  readonly autocomplete: string
  readonly maxLength: number
  readonly options: readonly { readonly value: string; readonly label: LocalText }[]
}

export interface FieldSettings {
  readonly inputs: readonly InputSettings[]
  readonly schema: MetadataSchema | undefined
}

const OPTION = 'registration.fields'
const MAX_INPUTS = 20
const MAX_OPTIONS = 100
const TYPES: readonly unknown[] = [
  'text',
  'textarea',
  'email',
  'url',
  'select',
  'checkbox',
] satisfies readonly InputType[]

export function readFields(fields: RegistrationFields | undefined): FieldSettings {
  if (fields === undefined) return { inputs: [], schema: undefined }
  const { inputs, schema } = readGroup(OPTION, fields, ['inputs', 'schema'])
  const count = isObject(inputs) ? Object.keys(inputs).length : 0
  if (count === 0 || count > MAX_INPUTS) {
    throw invalidOption(
      `${OPTION}.inputs`,
      inputs,
      `Name 1 to ${MAX_INPUTS} inputs: { company: { label: 'Company' } }.`,
    )
  }
  return {
    inputs: Object.entries(inputs!).map(([name, input]) => readInput(name, input)),
    schema: readMetadataSchema(schema, `${OPTION}.schema`),
  }
}

function readInput(name: string, input: RegistrationInput): InputSettings {
  const option = `${OPTION}.inputs.${name}`
  if (!/^[A-Za-z]\w{0,63}$/.test(name)) {
    throw invalidOption(option, name, 'A name has 1 to 64 letters, digits and _, and begins with a letter.')
  }
  const read = readGroup(option, input, ['label', 'type', 'required', 'hint', 'autocomplete', 'maxLength', 'options'])
  const { label, type = 'text', required = false, hint, autocomplete = 'off', maxLength, options } = read
  if (!TYPES.includes(type)) throw invalidOption(`${option}.type`, type, `Choose one of ${TYPES.join(', ')}.`)
  if (typeof autocomplete !== 'string' || !/^[a-z-]+( [a-z-]+)*$/.test(autocomplete)) {
    throw invalidOption(`${option}.autocomplete`, autocomplete, 'Write a token of HTML, such as "organization".')
  }
  if (type !== 'select' && options !== undefined) {
    throw invalidOption(`${option}.options`, options, "Only type: 'select' has options. Leave them out.")
  }
  return {
    name,
    id: `fields.${name}`,
    label: readLocalText(`${option}.label`, label),
    type,
    required: readBoolean(`${option}.required`, required),
    hint: hint === undefined ? undefined : readLocalText(`${option}.hint`, hint),
    autocomplete,
    maxLength: readMaxLength(`${option}.maxLength`, maxLength ?? (type === 'textarea' ? 1000 : 200)),
    options: type === 'select' ? readChoices(`${option}.options`, options) : [],
  }
}

/** All values together have at most 4 KiB. */
function readMaxLength(option: string, length: unknown): number {
  const read = readWholeNumber(option, length, 1)
  if (read <= 4000) return read
  throw invalidOption(option, length, 'Write at most 4000: all values together have 4 KiB.')
}

function readChoices(option: string, options: unknown): InputSettings['options'] {
  if (!Array.isArray(options) || options.length === 0 || options.length > MAX_OPTIONS) {
    throw invalidOption(option, options, `List 1 to ${MAX_OPTIONS} values, or { value, label } for each.`)
  }
  const choices = options.map((choice: unknown, index) => {
    const place = `${option}[${index}]`
    const { value, label = value } = ownMembers<{ value?: unknown; label?: unknown }>(
      isObject(choice) ? choice : { value: choice },
    )
    if (typeof value === 'string' && value.trim() === value && value !== '' && value.length <= 200) {
      return { value, label: readLocalText(place, label) }
    }
    throw invalidOption(place, value, 'A value is a text of 1 to 200 characters, without spaces around it.')
  })
  const twin = choices.find(({ value }, index) => choices.findIndex((each) => each.value === value) !== index)
  if (twin) throw invalidOption(option, twin.value, 'Each value occurs once.')
  return choices
}
