// An app with both copies of the package, as happens when one of its dependencies requires what it imports itself.
import { createRequire } from 'node:module'
import express from 'express'
import * as imported from 'express-platform-auth'
import exercise from './exercise.cjs'

const required = createRequire(import.meta.url)('express-platform-auth')
const { createPlatformAuth, memoryStore } = imported
console.log(
  JSON.stringify({
    separate: imported.createPlatformAuth !== required.createPlatformAuth,
    requiredReads: await exercise({ express, createPlatformAuth, authOf: required.authOf, store: memoryStore() }),
    importedReads: await exercise({
      express,
      createPlatformAuth: required.createPlatformAuth,
      authOf: imported.authOf,
      store: required.memoryStore(),
    }),
  }),
)
