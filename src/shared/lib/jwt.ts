import { isApplicationId } from './application-id.js'
import { parseObject } from './own-members.js'

/** The members of a part of a JWT, of which nothing is verified; undefined if there are none. */
export function readJwtPart(jwt: string, part: 'header' | 'claims'): Readonly<Record<string, unknown>> | undefined {
  const text = jwt.split('.', 2)[part === 'header' ? 0 : 1] ?? ''
  return parseObject(Buffer.from(text, 'base64url').toString())
}

/** The `client_id` of an access token, whether it is valid or not. */
export function readTokenClient(accessToken: string): string | undefined {
  const id = readJwtPart(accessToken, 'claims')?.['client_id']
  return typeof id === 'string' && isApplicationId(id) ? id : undefined
}
