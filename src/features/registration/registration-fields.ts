import type { MetadataSchema } from '../../shared/contracts/metadata-schema.js'
import { isObject, ownMembers } from '../../shared/lib/own-members.js'
import { invalidOption, readWholeNumber } from '../../shared/lib/option-checks.js'
import { boolean, list, members, oneOf, optional, textThat } from '../../shared/lib/option-rules.js'
import { readMetadataSchema } from '../../core/options/read-metadata-schema.js'
import { readLocalText, type LocalText } from './local-text.js'

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

export interface InputSettings {
  readonly name: string
  readonly id: string
  readonly label: LocalText
  readonly type: InputType
  readonly required: boolean
  readonly hint: LocalText | undefined
  readonly autocomplete: string
  readonly maxLength: number
  readonly options: readonly { readonly value: string; readonly label: LocalText }[]
}

export type FieldSettings = ReturnType<typeof readFields>

const MAX_INPUTS = 20
const MAX_OPTIONS = 100
const TYPES = ['text', 'textarea', 'email', 'url', 'select', 'checkbox'] as const
/** All values together have at most 4 KiB. */
const MAX_LENGTH = 4000

export const NO_FIELDS: FieldSettings = { inputs: [], schema: undefined }

export const readFields = members({
  inputs(option, inputs): readonly InputSettings[] {
    const given = isObject(inputs) ? Object.entries(inputs) : []
    if (given.length > 0 && given.length <= MAX_INPUTS)
      return given.map(([name, input]) => readInput(`${option}.${name}`, name, input))
    throw invalidOption(option, inputs, `Name 1 to ${MAX_INPUTS} inputs: { company: { label: 'Company' } }.`)
  },
  schema: (option, schema) => readMetadataSchema(schema, option),
})

function readInput(option: string, name: string, input: unknown): InputSettings {
  if (!/^[A-Za-z]\w{0,63}$/.test(name))
    throw invalidOption(option, name, 'A name has 1 to 64 letters, digits and _, and begins with a letter.')
  const read = readControl(option, input)
  const { type, options, maxLength = type === 'textarea' ? 1000 : 200 } = read
  if (type !== 'select' && options !== undefined)
    throw invalidOption(`${option}.options`, options, "Only type: 'select' has options. Leave them out.")
  const choices = type === 'select' ? readChoices(`${option}.options`, options) : []
  return { ...read, name, id: `fields.${name}`, maxLength, options: choices }
}

const readControl = members({
  label: readLocalText,
  type: oneOf(TYPES, 'text'),
  required: boolean(false),
  hint: optional(readLocalText),
  autocomplete: textThat(
    (token) => /^[a-z-]+( [a-z-]+)*$/.test(token),
    'Write a token of HTML, such as "organization".',
    'off',
  ),
  maxLength: optional((option, length) => {
    if (readWholeNumber(option, length, 1) <= MAX_LENGTH) return length as number
    throw invalidOption(option, length, `Write at most ${MAX_LENGTH}: all values together have 4 KiB.`)
  }),
  options: (_option, options) => options,
})

const readChoiceList = list(readChoice, {
  least: 1,
  most: MAX_OPTIONS,
  fix: `List 1 to ${MAX_OPTIONS} values, or { value, label } for each.`,
})

function readChoices(option: string, options: unknown): InputSettings['options'] {
  const choices = readChoiceList(option, options)
  const twin = choices.find(({ value }, index) => choices.findIndex((each) => each.value === value) !== index)
  if (twin) throw invalidOption(option, twin.value, 'Each value occurs once.')
  return choices
}

function readChoice(option: string, choice: unknown): InputSettings['options'][number] {
  const { value, label = value } = ownMembers<{ value?: unknown; label?: unknown }>(
    isObject(choice) ? choice : { value: choice },
  )
  if (typeof value === 'string' && value.trim() === value && value !== '' && value.length <= 200)
    return { value, label: readLocalText(option, label) }
  throw invalidOption(option, value, 'A value is a text of 1 to 200 characters, without spaces around it.')
}
