import type { Request } from 'express'

interface Verifier {
  verifyAccessToken(api: string, accessToken: string): Promise<{ readonly scopes: readonly string[] }>
}

let platform: Verifier

export function verifyWith(auth: Verifier): void {
  platform = auth
}

export async function expressAuthentication(request: Request, _name: string, scopes: string[] = []): Promise<unknown> {
  const credential = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const verified = await platform.verifyAccessToken('orders', credential)
  if (scopes.every((scope) => verified.scopes.includes(scope))) return verified
  throw Object.assign(new Error('insufficient_scope'), { status: 403 })
}
