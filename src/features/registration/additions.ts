import type { IncomingMessage } from 'node:http'
import type { Core } from '../../feature.js'
import type { RegistrationSettings } from './registration-options.js'
import {
  type OperatorDataRecord,
  checkSchemaOutput,
  MAX_METADATA_BYTES,
  createOperatorDataReader,
} from '../../core/applications/records/metadata.js'
import type { ApplicationRecord, Language } from '../../shared/contracts/application-record.js'
import { isObject } from '../../shared/lib/own-members.js'
import { verifyCaptcha } from './captcha.js'
import { RegistrationMistakes, type FormFields, NO_PROBLEMS } from './mistakes.js'
import { TEXTS } from './texts/languages.js'
import { ApplicationError } from '../../shared/contracts/errors.js'
import type { MetadataSchema, SchemaIssue, SchemaResult } from '../../shared/contracts/metadata-schema.js'
import { unwrapCause } from '../../core/http/respond.js'
import { readEmailAddress } from '../../shared/lib/email-address.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { callHost } from './call-host.js'
import { translate } from './local-text.js'
import type { FieldSettings, InputSettings } from './registration-fields.js'

interface GivenAdditions {
  readonly fields: ReadonlyMap<string, unknown>
  readonly terms: unknown
  readonly captcha: unknown
}

export type RegistrationData = OperatorDataRecord & Partial<Pick<ApplicationRecord, 'acceptedTerms'>>

export function createAdditions(core: Core, settings: RegistrationSettings) {
  const { logger, now } = core
  const { fields, terms, captcha } = settings
  const { inputs } = fields
  const checkFields = createCheckFields(core, fields)

  return {
    names: [...inputs.map(({ id }) => id), ...(terms ? ['terms'] : []), ...(captcha ? [captcha.field] : [])],
    readForm({ values }: FormFields): GivenAdditions {
      const entered = inputs.map(({ name, id, type }) => {
        const value = values.get(id)
        return [name, type === 'checkbox' ? value !== undefined : value] as const
      })
      return { fields: new Map(entered), terms: values.get('terms'), captcha: captcha && values.get(captcha.field) }
    },
    readJson(body: Readonly<Record<string, unknown>>): GivenAdditions {
      const { fields: given = {}, terms: version, captcha: response } = body
      if (inputs.length === 0) return { fields: new Map(), terms: version, captcha: response }
      const names = inputs.map(({ name }) => name)
      const isRight = isObject(given) && Object.keys(given).every((name) => names.includes(name))
      if (!isRight)
        throw new RegistrationMistakes(new Map([['form', `fields must be an object with ${names.join(', ')}.`]]))
      return { fields: new Map(Object.entries(given)), terms: version, captcha: response }
    },
    async check(given: GivenAdditions, language: Language) {
      const { data, problems: found } = await checkFields(given.fields, language)
      const texts = TEXTS[language]
      const problems = new Map(found)
      if (terms && given.terms !== terms.version)
        problems.set('terms', given.terms === undefined ? texts.termsMissing : texts.termsChanged)
      if (captcha && (typeof given.captcha !== 'string' || given.captcha === ''))
        problems.set('captcha', texts.captchaMissing)
      const acceptedTerms = terms && { url: terms.url, version: terms.version, at: now() }
      const checked: RegistrationData = { ...data, acceptedTerms }
      return { data: checked, problems }
    },
    async verifyPerson(given: GivenAdditions, language: Language, req: IncomingMessage): Promise<void> {
      if (!captcha || (await verifyCaptcha(captcha, given.captcha as string, req, logger))) return
      throw new RegistrationMistakes(new Map([['captcha', TEXTS[language].captchaRefused]]))
    },
  }
}

/** With `inputs`, what is registered has `metadata`: each value that was given, as the schema has changed it. */
function createCheckFields({ settings: { metadata }, logger }: Core, { inputs, schema }: FieldSettings) {
  const readOperatorData = createOperatorDataReader(metadata)
  return async function checkFields(entered: ReadonlyMap<string, unknown>, language: Language) {
    if (inputs.length === 0) return { data: {}, problems: NO_PROBLEMS }
    const { values, problems } = readValues(inputs, entered, language)
    if (problems.size > 0) return { data: {}, problems }
    const judge = schema ?? metadata
    const option = schema ? OPTION : 'metadata'
    const result = judge && (await callHost(option, () => validate(judge, option, values), logger))
    if (result?.issues) return { data: {}, problems: describeIssues(result.issues, inputs, language) }
    // The platform's own schema also checks what the schema of the fields has made of the values.
    const given = schema && result ? result.value : values
    try {
      return { data: await callHost('metadata', () => readOperatorData({ metadata: given }), logger), problems }
    } catch (error) {
      const cause = unwrapCause(error)
      if (cause instanceof ApplicationError) return { data: {}, problems: new Map([['form', cause.message]]) }
      throw error
    }
  }
}

const OPTION = 'registration.fields.schema'

async function validate(schema: MetadataSchema, option: string, values: object): Promise<SchemaResult<object>> {
  const result = await schema['~standard'].validate({ ...values })
  if (!result.issues) checkSchemaOutput(option, result.value)
  return result
}

function readValues(inputs: readonly InputSettings[], entered: ReadonlyMap<string, unknown>, language: Language) {
  const texts = TEXTS[language]
  const values: Record<string, string | boolean> = {}
  const problems = new Map<string, string>()
  for (const input of inputs) {
    const { value, problem } = readValue(input, entered.get(input.name))
    const named = { label: translate(input.label, language), most: input.maxLength }
    if (problem !== undefined) problems.set(input.id, fillText(texts[problem], named))
    else if (value !== undefined) values[input.name] = value
  }
  const isTooLong = Buffer.byteLength(JSON.stringify(values)) > MAX_METADATA_BYTES
  if (isTooLong) problems.set('form', texts.tooLong)
  return { values, problems }
}

interface Read {
  readonly value?: string | boolean
  readonly problem?: 'empty' | 'unticked' | 'unchosen' | 'longerThan' | 'unreadable' | 'noAddress' | 'noUrl'
}

function readValue(input: InputSettings, given: unknown): Read {
  const { type, required, maxLength, options } = input
  if (type === 'checkbox') {
    if (typeof (given ?? false) !== 'boolean') return { problem: 'unreadable' }
    return required && given !== true ? { problem: 'unticked' } : { value: given === true }
  }
  if (typeof (given ?? '') !== 'string') return { problem: 'unreadable' }
  const text = ((given ?? '') as string).replaceAll(/\r\n?/g, '\n').replaceAll('\t', ' ').trim()
  if (text === '') return required ? { problem: type === 'select' ? 'unchosen' : 'empty' } : {}
  if (type === 'select') return options.some(({ value }) => value === text) ? { value: text } : { problem: 'unchosen' }
  if (Array.from(text).length > maxLength) return { problem: 'longerThan' }
  const line = type === 'textarea' ? text.replaceAll('\n', ' ') : text
  if (findLineProblem(line, maxLength) !== undefined) return { problem: 'unreadable' }
  if (type === 'email') {
    const address = readEmailAddress(text)
    return address === undefined ? { problem: 'noAddress' } : { value: address }
  }
  return type === 'url' && !isWebAddress(text) ? { problem: 'noUrl' } : { value: text }
}

/** An address that a link may lead to: of the web, with a host that has a dot, and without a password. */
function isWebAddress(text: string): boolean {
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  return url !== null && url.username === '' && url.password === '' && url.hostname.includes('.')
}

const MAX_ISSUES = 20

function describeIssues(issues: readonly SchemaIssue[], inputs: readonly InputSettings[], language: Language) {
  const problems = new Map<string, string>()
  for (const { message, path = [] } of issues.slice(0, MAX_ISSUES)) {
    const [step] = path
    const key = typeof step === 'object' ? step.key : step
    const input = inputs.find(({ name }) => name === key)
    const id = input?.id ?? 'form'
    const problem = input ? `${translate(input.label, language)}: ${message}` : message
    problems.set(id, problems.has(id) ? `${problems.get(id)} ${problem}` : problem)
  }
  return problems
}
