// What an existing app does with the packages that it has: each that is installed is used.
const express = require('express')
const { authOf, createPlatformAuth, memoryStore } = require('express-platform-auth')
const { smtpMailer } = require('express-platform-auth/emails')
const { postgresStore } = require('express-platform-auth/stores/postgres')
const { sqliteStore } = require('express-platform-auth/stores/sqlite')
const { dependencies } = require('./package.json')
const exercise = require('./exercise.cjs')

const secret = 'installed beside old packages 123'
const exerciseOn = (store) => exercise({ express, createPlatformAuth, authOf, store, secret })

async function main() {
  const answers = { memory: await exerciseOn(memoryStore()) }
  if (dependencies.pg) {
    const pool = new (require('pg').Pool)({ connectionString: process.env.DATABASE_URL })
    answers.postgres = await exerciseOn(postgresStore({ pool }))
    await pool.end()
  }
  if (dependencies['@photostructure/sqlite']) answers.sqlite = await exerciseOn(sqliteStore('platform.sqlite'))
  if (dependencies.nodemailer) {
    const transport = require('nodemailer').createTransport({ jsonTransport: true })
    const mailer = smtpMailer({ transport, from: 'developers@example.com' })
    await mailer.send({ to: 'dev@customer.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' })
  }
  if (dependencies.ioredis) {
    const redis = new (require('ioredis').Redis ?? require('ioredis'))({ lazyConnect: true })
    const apis = { catalog: { scheme: 'apiKey' } }
    const rateLimits = { requests: { limit: 5, window: 60 }, redis }
    const auth = createPlatformAuth({ baseUrl: 'http://localhost', apis, store: memoryStore(), rateLimits })
    await auth.ready()
    await auth.close()
    redis.disconnect()
  }
  console.log(JSON.stringify(answers))
}
void main()
