import express from 'express'
import { authOf, createPlatformAuth, memoryStore } from 'express-platform-auth'
import exercise from './exercise.cjs'

console.log(JSON.stringify(await exercise({ express, createPlatformAuth, authOf, store: memoryStore() })))
