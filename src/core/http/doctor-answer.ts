import type { IncomingMessage } from 'node:http'

/**
 * Headers that tell the doctor whether `trust proxy` fits the proxies in front: how many addresses `X-Forwarded-For` had
 * when it arrived, and how many of them are used to find the caller's. Empty unless the request asks for them.
 */
export function answerDoctor(req: IncomingMessage): Readonly<Record<string, string>> {
  if (req.headers['platform-auth-doctor'] === undefined) return {}
  const received = req.headers['x-forwarded-for']?.toString().split(',').filter(isNotBlank).length ?? 0
  // Express's `req.ips`: the addresses of X-Forwarded-For that `trust proxy` lets it use. Without Express none is used.
  const { ip, ips } = req as { ip?: unknown; ips?: unknown }
  const used = Array.isArray(ips) ? ips.length : 0
  // A host that sets `req.ip` by itself has its own way to find the address.
  if (!Array.isArray(ips) && ip !== undefined) return {}
  return { 'Cache-Control': 'no-store', 'Platform-Auth-Doctor': `received=${received}, used=${used}` }
}

function isNotBlank(text: string): boolean {
  return text.trim() !== ''
}
