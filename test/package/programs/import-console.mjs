import express from 'express'
import { createPlatformAuth, memoryStore } from 'express-platform-auth'
import { developerConsole } from 'express-platform-auth/console'
import showConsole from './console.cjs'

console.log(JSON.stringify(await showConsole({ express, createPlatformAuth, developerConsole, memoryStore })))
