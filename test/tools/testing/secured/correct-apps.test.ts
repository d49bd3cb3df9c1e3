import { describe, expect, it } from 'vitest'
import { expectSecured } from '../../../../src/tools/testing/index.js'
import { IS_LONG_LANE } from '../../../support/long-lane.js'
import { CORRECT_APPS_OF_FUNCTIONS } from './correct-apps-of-functions.js'
import { CORRECT_APPS } from './correct-apps.js'
import { listFew, SECURED_EXPRESSES } from './expresses.js'
import { openShops } from './shop.js'

const ALL = [CORRECT_APPS, CORRECT_APPS_OF_FUNCTIONS].flatMap((apps) => Object.entries(apps))

describe.each(SECURED_EXPRESSES)('%s: expectSecured() finds nothing in an app with', (name, express) => {
  const buildApp = openShops()

  it.each(IS_LONG_LANE ? ALL : listFew(name, ALL))('%s', async (_app, build) => {
    const { app, auth, options } = buildApp(express, build)
    const { routes } = await expectSecured(app, { auth, ...options })
    expect(routes.length).toBeGreaterThan(0)
  })
})
