import type { KeySetSource } from '../../core/applications/call-options.js'
import { readKeySetText } from '../../core/applications/credentials/key-sets.js'
import type { Api } from '../../shared/contracts/api.js'
import type { Language } from '../../shared/contracts/application-record.js'
import { invalidArgument, type ApplicationError } from '../../shared/contracts/errors.js'
import { fillText } from '../../shared/lib/fill-in.js'
import { needsKeySet, takesKeySets } from '../../shared/lib/key-set-text.js'
import { FRAME_TEXTS } from '../../shared/web/page-frame.js'
import { NO_PROBLEMS, type FieldProblems, type FormFields } from './mistakes.js'
import { TEXTS } from './texts/languages.js'

export async function readKeySetField(
  { values, apis: chosen }: FormFields,
  apis: readonly Api[],
  internalHosts: readonly string[],
  language: Language,
): Promise<{ readonly source: KeySetSource | undefined; readonly problems: FieldProblems }> {
  const text = values.get('keySet') ?? ''
  const texts = TEXTS[language]
  const mistake = findKeySetProblem(apis, chosen, text !== '')
  if (mistake) {
    const names = mistake.apis.map(({ title }) => title).join(', ')
    const problem = fillText(mistake.problem === 'missing' ? texts.keySetMissing : texts.keySetUnused, { apis: names })
    return { source: undefined, problems: new Map([['keySet', problem]]) }
  }
  if (text === '') return { source: undefined, problems: NO_PROBLEMS }
  const { source, refused } = await readKeySetText(text, { now: 0, internalHosts })
  if (source) return { source, problems: NO_PROBLEMS }
  return { source, problems: new Map([['keySet', `${FRAME_TEXTS[language].keySetRefused} (${refused})`]]) }
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
