import type { IncomingMessage } from 'node:http'
import { OAuthError } from '../../shared/contracts/denial.js'
import { ownMembers } from '../../shared/lib/own-members.js'
import { parseMediaType, readBody } from './form.js'

export async function readJson(req: IncomingMessage, mediaTypes: readonly string[] = ['application/json']) {
  if (!mediaTypes.includes(parseMediaType(req).mediaType))
    throw new OAuthError(
      'invalid_request',
      'The Content-Type must be application/json or application/x-www-form-urlencoded',
    )
  const body = await readBody(req)
  if (body.text === undefined) return ownMembers(body.parsed)
  const parsed = parseJson(body.text)
  if (typeof parsed === 'object' && parsed !== null) return ownMembers(parsed as Record<string, unknown>)
  throw new OAuthError('invalid_request', 'The body is not a JSON object')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
