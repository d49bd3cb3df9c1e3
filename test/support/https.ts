import { createServer } from 'node:https'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Signed by itself, for partner.test, *.partner.test and 127.0.0.1, until the year 2126. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBtzCCAVygAwIBAgIUZ1INFLbSbd5Qmv2dImhojx91H/cwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMcGFydG5lci50ZXN0MCAXDTI2MTEyNzA0NDQ0OVoYDzIxMjYx
MTAzMDQ0NDQ5WjAXMRUwEwYDVQQDDAxwYXJ0bmVyLnRlc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAARH4igIQPdAL4v0GmfUasWz4CCthUgGRWJOXtF7j/iVcSok
sywSI08jEjqOJ6Oe+1OAafjhHs2mPv914Xtm/JyCo4GDMIGAMB0GA1UdDgQWBBQT
CRk0nx+o36+nf0Rm6tyOxD01qTAfBgNVHSMEGDAWgBQTCRk0nx+o36+nf0Rm6tyO
xD01qTAPBgNVHRMBAf8EBTADAQH/MC0GA1UdEQQmMCSCDHBhcnRuZXIudGVzdIIO
Ki5wYXJ0bmVyLnRlc3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhANFMzB3ywsYa
/fDwfVa6vKuE3gYStF9C48qkRHEPhzJxAiEAwosfCMqDaZvX3pE3HAXkXhpU2fs4
H53BdZNOTrXSO0Q=
-----END CERTIFICATE-----`

/** Of the certificate above, and of nothing else. */
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgflIpw90YQ7MqCrzU
2PHzcbIcsJFiiuie/XE0Pq4rQ9uhRANCAARH4igIQPdAL4v0GmfUasWz4CCthUgG
RWJOXtF7j/iVcSoksywSI08jEjqOJ6Oe+1OAafjhHs2mPv914Xtm/JyC
-----END PRIVATE KEY-----`

/** Starts a server of HTTPS at 127.0.0.1. */
export async function listenHttps(listener: RequestListener): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
