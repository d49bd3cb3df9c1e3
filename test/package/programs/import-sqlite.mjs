import express from 'express'
import { authOf, createPlatformAuth } from 'express-platform-auth'
import { sqliteStore } from 'express-platform-auth/stores/sqlite'
import exercise from './exercise.cjs'

const store = sqliteStore('import.db')
console.log(
  JSON.stringify(
    await exercise({ express, createPlatformAuth, authOf, store, secret: 'a secret of 32 characters or more' }),
  ),
)
