import type { Application, IssuedCredentials } from '../../../index.js'
import { alignColumns, formatTime, replaceControlCharacters } from '../format.js'

/** New credentials in plain text, each on a line of its own, so that they can be copied, and when they expire. */
export function formatCredentials(
  { keys, secrets }: Application,
  { clientId, clientSecret }: Partial<IssuedCredentials>,
): string {
  const rows = [
    ...(clientId ? [['client_id', clientId]] : []),
    ...(clientSecret ? [['client_secret', clientSecret]] : []),
  ]
  const end = clientId ? findEnd(keys, clientId) : undefined
  const secretEnd = clientSecret ? findEnd(secrets, clientSecret) : undefined
  const ends =
    clientId && clientSecret
      ? describeBothEnds(end, secretEnd)
      : [end ?? secretEnd].flatMap((only) => (only ? [`It expires at ${formatTime(only)}.`] : []))
  return [`${alignColumns(rows, '  ')}\n\nShown this once: only their hashes are kept.`, ...ends].join(' ')
}

function describeBothEnds(key: Date | undefined, secret: Date | undefined): string[] {
  if (key && key.getTime() === secret?.getTime()) return [`Both expire at ${formatTime(key)}.`]
  return [
    ...(key ? [`The key expires at ${formatTime(key)}.`] : []),
    ...(secret ? [`The secret expires at ${formatTime(secret)}.`] : []),
  ]
}

/** The newest one is first: it is the new one, if another has the same first characters. */
function findEnd(list: Application['keys'], plain: string): Date | undefined {
  return list.find(({ prefix }) => plain.startsWith(prefix))?.expiresAt
}

/** A credential of an application in words; its id alone if the application does not have it. */
export function describeCredential({ keys, secrets }: Application, credentialId: string): string {
  const key = keys.find(({ id }) => id === credentialId)
  const credential = key ?? secrets.find(({ id }) => id === credentialId)
  if (!credential) return credentialId
  return `the ${key ? 'key' : credential.keySet ? 'key set' : 'secret'} "${replaceControlCharacters(credential.name)}" (${credentialId})`
}

/** Until when the former one works. */
export function describeFormer({ keys, secrets }: Application, kind: 'key' | 'secret'): string {
  const [newest, ...others] = kind === 'key' ? keys : secrets
  const former = others.find(({ name }) => name === newest?.name)
  return former ? ` The former one works until ${formatTime(former.expiresAt)}.` : ''
}
