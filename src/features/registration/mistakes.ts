import type { IncomingMessage } from 'node:http'
import {
  isLanguage,
  MAX_NAME_LENGTH,
  readRegistrationContact,
  readRegistrationName,
} from '../../core/applications/records/validation.js'
import { ApplicationError, invalidArgument } from '../../shared/contracts/errors.js'
import { OAuthError } from '../../shared/contracts/denial.js'
import { replaceForbidden } from '../../core/http/respond.js'
import { readField, readFields } from '../../core/http/form.js'
import { findAddressProblem } from '../../shared/lib/email-address.js'
import { fillDetail, fillText } from '../../shared/lib/fill-in.js'
import { findLineProblem } from '../../shared/lib/visible-text.js'
import { readKeySetText } from '../../core/applications/credentials/key-sets.js'
import type { Api } from '../../shared/contracts/api.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { needsKeySet, takesKeySets } from '../../shared/lib/key-set-text.js'
import { html, markEnglish, type Html } from '../../shared/web/html.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { TEXTS, type RegistrationTexts } from './texts/languages.js'

/** The id of a control -> its problem, in words for the person who filled in the form. `form`: of none in particular. */
export type FieldProblems = ReadonlyMap<string, Html | string>

export const NO_PROBLEMS: FieldProblems = new Map()

/** The refusal of a registration with mistakes, of which a form shows each at its field. */
export class RegistrationMistakes extends OAuthError {
  readonly problems: FieldProblems

  constructor(problems: FieldProblems) {
    // JSON has them in one text, which names the member of each.
    const texts = [...problems].map(
      ([id, text]) => `${id === 'form' ? '' : `${id}: `}${typeof text === 'string' ? text : text.markup}`,
    )
    super('invalid_request', replaceForbidden(texts.join(' ')))
    this.problems = problems
  }
}

export interface FormFields {
  /** Name of a field -> what was entered, trimmed. A field that the form did not have is missing. */
  readonly values: ReadonlyMap<string, string>
  readonly apis: readonly string[]
}

/** The fields of the form, of which each of `known` may occur once. `apis` occurs once for each checkbox. */
export async function readFormFields(req: IncomingMessage, known: ReadonlySet<string>): Promise<FormFields> {
  const fields = await readFields(req)
  const given = [...known].filter((name) => fields.has(name))
  return { values: new Map(given.map((name) => [name, readField(fields, name)])), apis: fields.get('apis') ?? [] }
}

export function findFieldProblems({ values, apis }: FormFields, openApis: readonly string[], texts: RegistrationTexts) {
  const name = values.get('name') ?? ''
  const contact = values.get('contact') ?? ''
  const language = values.get('language')
  const problems = new Map<string, string>()
  if (name === '') problems.set('name', texts.nameMissing)
  else if (isRefused(readRegistrationName, name)) {
    problems.set('name', fillDetail(texts.nameRefused, findLineProblem(name, MAX_NAME_LENGTH)))
  }
  if (contact === '') problems.set('contact', texts.contactMissing)
  else if (isRefused(readRegistrationContact, contact)) {
    problems.set('contact', fillDetail(texts.contactRefused, findAddressProblem(contact)))
  }
  if (language !== undefined && !isLanguage(language)) problems.set('language', texts.languageUnknown)
  if (apis.length === 0) problems.set('apis', texts.apiMissing)
  else if (!apis.every((api) => openApis.includes(api))) problems.set('apis', texts.apiUnknown)
  return problems
}

function isRefused(read: (value: string) => unknown, value: string): boolean {
  try {
    read(value)
    return false
  } catch (error) {
    if (error instanceof ApplicationError) return true
    throw error
  }
}

export function readKeySetField(
  { values, apis: chosen }: FormFields,
  apis: readonly Api[],
  internalHosts: readonly string[],
  language: Language,
) {
  const text = values.get('keySet') ?? ''
  const texts = TEXTS[language]
  const mistake = findKeySetProblem(apis, chosen, text !== '')
  if (mistake) {
    const names = mistake.apis.map(({ title }) => title).join(', ')
    const problem = fillText(mistake.problem === 'missing' ? texts.keySetMissing : texts.keySetUnused, { apis: names })
    return { source: undefined, problems: new Map([['keySet', problem]]) }
  }
  if (text === '') return { source: undefined, problems: NO_PROBLEMS }
  const { source, refused } = readKeySetText(text, { now: 0, internalHosts })
  if (source) return { source, problems: NO_PROBLEMS }
  const problem = html`${FRAME_TEXTS[language].keySetRefused} (${markEnglish(refused, { language })})`
  return { source, problems: new Map([['keySet', problem]]) }
}

interface KeySetMistake {
  /** `missing`: these APIs take nothing else. `unused`: they take none. */
  readonly problem: 'missing' | 'unused'
  readonly apis: readonly Api[]
}

export function findKeySetProblem(
  apis: readonly Api[],
  chosen: readonly string[],
  hasKeySet: boolean,
): KeySetMistake | undefined {
  const withTokens = apis.filter(({ name, scheme }) => chosen.includes(name) && scheme === 'oauth2')
  const others = withTokens.filter((api) => (hasKeySet ? !takesKeySets(api) : needsKeySet(api)))
  if (others.length > 0) return { problem: hasKeySet ? 'unused' : 'missing', apis: others }
  const isOfNoUse = hasKeySet && chosen.length > 0 && withTokens.length === 0
  return isOfNoUse ? { problem: 'unused', apis: apis.filter(({ name }) => chosen.includes(name)) } : undefined
}

export function createKeySetError({ problem, apis }: KeySetMistake): ApplicationError {
  const names = apis.map(({ name }) => name).join(', ')
  return invalidArgument(
    problem === 'missing'
      ? `keySet is missing: ${names} takes public keys only.`
      : `keySet is of no use for ${names}: register another application for it.`,
  )
}
