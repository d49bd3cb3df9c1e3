import { expect, it, onTestFinished, vi } from 'vitest'
import { createPlatformAuth } from '../../src/index.js'
import * as emails from '../../src/features/emails/index.js'
import { registration } from '../../src/features/registration/index.js'
import { APIS } from '../core/applications/applicant.js'
import { runBlock } from './run-block.js'

it('the mailer of "Without a mail server" shows the credentials on the terminal', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  onTestFinished(() => log.mockRestore())
  let sending: ReturnType<typeof emails.emails> | undefined
  const variables = {
    createPlatformAuth: ({ features }: { readonly features: readonly [typeof sending] }) => void ([sending] = features),
    options: {},
    console,
  }
  const modules = { 'express-platform-auth/emails': emails }
  await runBlock('docs/emails.md', 'Without a mail server', { variables, modules })

  const auth = createPlatformAuth({
    baseUrl: 'https://api.example.com',
    apis: APIS,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    features: [sending!, registration()],
  })
  onTestFinished(() => auth.close())
  await auth.registration.register({ name: 'Acme', contact: 'dev@acme.example', apis: ['catalog'] })
  await vi.waitFor(() => {
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^To: dev@acme\.example\n[^]*\bepa_key_\w{34}\b/))
  }, 5000)
})
