import { afterAll, describe, expect, it } from 'vitest'
import { expectSecured } from '../../../src/testing/index.js'
import { CORRECT_APPS } from './correct-apps.js'
import { SECURED_EXPRESSES } from './expresses.js'
import { buildApp, openShop } from './shop.js'

describe.each(SECURED_EXPRESSES)('%s: expectSecured() finds nothing in an app with', (_name, express) => {
  const { auth } = openShop()
  afterAll(() => auth.close())

  it.each(CORRECT_APPS)('%s', async (_app, build) => {
    const { app, options } = buildApp(express, auth, build)
    const { routes } = await expectSecured(app, { auth, ...options })
    expect(routes.length).toBeGreaterThan(0)
  })
})
