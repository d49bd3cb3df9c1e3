import express from 'express'
import { authOf, createPlatformAuth, memoryStore } from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import showConsole from './console.cjs'
import exercise from './exercise.cjs'

console.log(
  JSON.stringify({
    answers: await exercise({ express, createPlatformAuth, authOf, store: memoryStore() }),
    console: await showConsole({ express, createPlatformAuth, developerConsole, memoryStore }),
  }),
)
