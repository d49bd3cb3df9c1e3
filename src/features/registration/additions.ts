import type { IncomingMessage } from 'node:http'
import type { Core } from '../../feature.js'
import type { RegistrationSettings } from './registration-options.js'
import type { OperatorDataRecord } from '../../core/applications/records/metadata.js'
import type { ApplicationRecord, Language } from '../../shared/contracts/application-record.js'
import { isObject } from '../../shared/lib/is-object.js'
import { verifyCaptcha } from './captcha.js'
import { createCheckFields } from './fields/check-fields.js'
import { RegistrationMistakes, type FormFields } from './mistakes.js'
import { TEXTS } from './texts/languages.js'

export type Additions = ReturnType<typeof createAdditions>

interface GivenAdditions {
  /** Name of the provider's field -> value. */
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
      if (terms && given.terms !== terms.version) {
        problems.set('terms', given.terms === undefined ? texts.termsMissing : texts.termsChanged)
      }
      if (captcha && (typeof given.captcha !== 'string' || given.captcha === '')) {
        problems.set('captcha', texts.captchaMissing)
      }
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
