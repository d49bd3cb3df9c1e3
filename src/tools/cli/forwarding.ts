/** How many addresses `X-Forwarded-For` had when it reached the server, and how many `trust proxy` uses. */
export interface Forwarding {
  readonly received: number
  readonly used: number
}

/** An address for documentation (RFC 5737), which no caller has. */
export const FORGED_ADDRESS = '192.0.2.1'

export function readForwarding(header: string | null | undefined): Forwarding | undefined {
  const [, received, used] = /^received=(\d+), used=(\d+)$/.exec(header ?? '') ?? []
  return used === undefined ? undefined : { received: Number(received), used: Number(used) }
}

/** What is wrong with "trust proxy": all addresses that arrive without being sent (`plain`) must be used, and none that is sent (`forged`). */
export function judgeForwarding({ received, used }: Forwarding, forged: Forwarding) {
  if (used < received)
    return {
      finding: `The server takes the address of a proxy for its callers', so they share one rate limit, and no application that is restricted to networks can call: X-Forwarded-For has ${received === 1 ? '1 address' : `${received} addresses`}, and "trust proxy" uses ${used}.`,
      fix: `app.set('trust proxy', ${received})`,
    }
  if (forged.used > received)
    return {
      finding:
        'Callers can choose the address that rate limits count and that networks of applications are compared with: "trust proxy" believes an X-Forwarded-For that was sent to it.',
      fix:
        received === 0
          ? "No proxy adds to that header: remove app.set('trust proxy', ...), or make the proxy set the header."
          : `app.set('trust proxy', ${received})`,
    }
  return undefined
}
