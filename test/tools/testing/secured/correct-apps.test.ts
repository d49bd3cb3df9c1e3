import { describe, expect, it } from 'vitest'
import { expectSecured } from '../../../../src/tools/testing/index.js'
import { CORRECT_APPS } from './correct-apps.js'
import { listFew, SECURED_EXPRESSES } from './expresses.js'
import { openShops } from './shop.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'

describe.each(SECURED_EXPRESSES)('%s: expectSecured() finds nothing in an app with', (name, express) => {
  const buildApp = openShops()

  it.each(IS_LONG_LANE ? CORRECT_APPS : listFew(name, CORRECT_APPS))('%s', async (_app, build) => {
    const { app, auth, options } = buildApp(express, build)
    const { routes } = await expectSecured(app, { auth, ...options })
    expect(routes.length).toBeGreaterThan(0)
  })
})
