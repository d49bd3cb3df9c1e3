import express from 'express'
import { authOf, createPlatformAuth, memoryStore } from 'express-platform-auth'
import { observe } from 'express-platform-auth/opentelemetry'
import exerciseObserved from './observed.cjs'

const parts = { express, createPlatformAuth, observe, authOf, store: memoryStore() }
console.log(JSON.stringify(await exerciseObserved(parts)))
