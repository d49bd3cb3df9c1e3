import type { IncomingMessage } from 'node:http'
import type { OperatorDataRecord, ReadOperatorData } from '../../applications/records/metadata.js'
import type { Language } from '../../contracts/application-record.js'
import type { MetadataSchema } from '../../contracts/metadata-schema.js'
import { isObject } from '../../lib/is-object.js'
import { verifyCaptcha, type CaptchaSettings } from './captcha.js'
import { createJudge } from './fields/judge-fields.js'
import type { FieldSettings } from './fields/read-fields.js'
import type { FormFields } from './form-fields.js'
import { RegistrationMistakes, type FieldProblems } from './mistakes.js'
import { TEXTS } from './texts/texts.js'

/** What the provider asks for beside name, contact and APIs: fields of its own, and a captcha. */
export interface Additions {
  /** The names of their fields in the form. */
  readonly names: readonly string[]
  readForm(form: FormFields): GivenAdditions
  /** Throws `RegistrationMistakes` for a field that is not asked for. */
  readJson(body: Readonly<Record<string, unknown>>): GivenAdditions
  judge(given: GivenAdditions, language: Language): Promise<JudgedAdditions>
  /** Rejects with `RegistrationMistakes` if the captcha recognizes no person. */
  verifyPerson(given: GivenAdditions, language: Language, req: IncomingMessage): Promise<void>
}

/** The input, of any type. */
interface GivenAdditions {
  /** Name of the provider's field -> value. */
  readonly fields: ReadonlyMap<string, unknown>
  readonly captcha: unknown
}

interface JudgedAdditions {
  readonly problems: FieldProblems
  /** What is stored if there are no problems. */
  readonly data: OperatorDataRecord
}

interface AdditionsOptions {
  readonly fields: FieldSettings
  readonly captcha: CaptchaSettings | undefined
  readonly metadata: MetadataSchema | undefined
  readonly readOperatorData: ReadOperatorData
  readonly logger: { error(message: string, cause: unknown): void }
}

export function createAdditions({ fields, captcha, metadata, readOperatorData, logger }: AdditionsOptions): Additions {
  const { inputs } = fields
  const judgeFields = createJudge({ ...fields, metadata, readOperatorData, logger })

  return {
    names: [...inputs.map(({ id }) => id), ...(captcha ? [captcha.field] : [])],
    readForm({ values }) {
      const entered = inputs.map(({ name, id, type }) => {
        const value = values.get(id)
        return [name, type === 'checkbox' ? value !== undefined : value] as const
      })
      return { fields: new Map(entered), captcha: captcha && values.get(captcha.field) }
    },
    readJson({ fields: given = {}, captcha: response }) {
      if (inputs.length === 0) return { fields: new Map(), captcha: response }
      const names = inputs.map(({ name }) => name)
      const isRight = isObject(given) && Object.keys(given).every((name) => names.includes(name))
      if (!isRight) throw createFieldsError(names)
      return { fields: new Map(Object.entries(given)), captcha: response }
    },
    async judge(given, language) {
      const { data, problems } = await judgeFields(given.fields, language)
      const isMissing = captcha !== undefined && (typeof given.captcha !== 'string' || given.captcha === '')
      const missing = [['captcha', TEXTS[language].captchaMissing]] as const
      return { data, problems: new Map([...problems, ...(isMissing ? missing : [])]) }
    },
    async verifyPerson(given, language, req) {
      if (!captcha || (await verifyCaptcha(captcha, given.captcha as string, req, logger))) return
      throw new RegistrationMistakes(new Map([['captcha', TEXTS[language].captchaRefused]]))
    },
  }
}

function createFieldsError(names: readonly string[]): RegistrationMistakes {
  return new RegistrationMistakes(new Map([['form', `fields must be an object with ${names.join(', ')}.`]]))
}
