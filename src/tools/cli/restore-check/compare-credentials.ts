import { shellQuote } from '../../../shared/lib/shell-quote.js'
import type { ApplicationRecord, CredentialRecord } from '../../../store.js'
import { toComparable, toLack, type Lack, type Times } from './lack.js'

/** The keys, or the secrets, of an application that both have. */
export function compareCredentials(
  kind: 'key' | 'secret',
  lost: ApplicationRecord,
  restored: ApplicationRecord,
  { now, backup, lost: end }: Times,
): Lack[] {
  const list = kind === 'key' ? 'keys' : 'secrets'
  const isLive = ({ expiresAt = Infinity }: CredentialRecord): boolean => expiresAt > now
  const [had, has] = [lost[list].filter(isLive), restored[list].filter(isLive)]
  const ended = has.filter(({ id, createdAt }) => createdAt <= end && !had.some((each) => each.id === id))
  const isReplaced = (name: string): boolean => had.some((each) => each.name === name)
  const isMadeAgain = ({ name }: CredentialRecord): boolean =>
    ended.some((each) => each.name === name) || has.some((each) => each.name === name && each.createdAt > end)
  const unknown = had.filter(
    (each) => each.createdAt > backup && !restored[list].some(({ id }) => id === each.id) && !isMadeAgain(each),
  )
  const others = has.flatMap((each) => had.filter(({ id }) => id === each.id).map((former) => [former, each] as const))
  return [
    ...ended.map(({ id, name, prefix }) => {
      const redo = isReplaced(name)
        ? `apps rotate-${kind} ${lost.id} --credential ${id} --overlap 0`
        : `apps end-credential ${lost.id} ${id}`
      return toLack(lost, `${kind} ended`, redo, true, `${id} ${name}, ${prefix}...`)
    }),
    // A rotation whose overlap lasts: it comes before the end of what it replaced, which the new one would inherit.
    ...unknown.filter(findReplaced).map((each) => describeUnknown(each)),
    ...others.flatMap(([former, each]) => compareTerms(kind, lost, former, each)),
    ...unknown.filter((each) => !findReplaced(each)).map((each) => describeUnknown(each)),
  ]

  function findReplaced({ name }: CredentialRecord): CredentialRecord | undefined {
    return has.find((each) => each.name === name)
  }

  function describeUnknown(each: CredentialRecord): Lack {
    const { id, name, prefix } = each
    const replaced = findReplaced(each)
    const { expiresAt = now } = had.find((former) => former.id === replaced?.id) ?? {}
    const redo = replaced
      ? `apps rotate-${kind} ${lost.id} --credential ${replaced.id} --overlap ${Math.ceil((expiresAt - now) / 1000)}`
      : `apps add-${kind} ${lost.id} --name ${shellQuote(name)}`
    return toLack(lost, `${kind} added`, redo, replaced !== undefined, `${id} ${name}, ${prefix}...`)
  }
}

function compareTerms(
  kind: 'key' | 'secret',
  lost: ApplicationRecord,
  former: CredentialRecord,
  credential: CredentialRecord,
): Lack[] {
  const { id, name } = former
  const { expiresAt = Infinity } = former
  const { expiresAt: restoredEnd = Infinity } = credential
  const time = expiresAt === Infinity ? 'never' : new Date(expiresAt).toISOString()
  const update = `apps update-credential ${lost.id} ${id}`
  const details = `${id} ${name}`
  return [
    ...(expiresAt === restoredEnd
      ? []
      : [toLack(lost, `${kind}'s end`, `${update} --expires ${time}`, expiresAt < restoredEnd, `${details}: ${time}`)]),
    ...compareNetworks(lost, `${kind}'s networks`, former.networks, credential.networks, id),
    ...(name === credential.name
      ? []
      : [toLack(lost, `${kind} renamed`, `${update} --name ${shellQuote(name)}`, false, details)]),
  ]
}

export function compareNetworks(
  lost: ApplicationRecord,
  what: string,
  had: readonly string[] | undefined,
  has: readonly string[] | undefined,
  credential?: string,
): Lack[] {
  if (toComparable(had ?? []) === toComparable(has ?? [])) return []
  const networks = had?.join(',') ?? 'any'
  const target = credential === undefined ? '' : ` --credential ${credential}`
  const details = credential === undefined ? networks : `${credential}: ${networks}`
  return [toLack(lost, what, `apps networks ${lost.id} ${networks}${target}`, had !== undefined, details)]
}
