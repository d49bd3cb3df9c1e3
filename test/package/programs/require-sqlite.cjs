const express = require('express')
const { authOf, createPlatformAuth } = require('express-platform-auth')
const { sqliteStore } = require('express-platform-auth/stores/sqlite')
const exercise = require('./exercise.cjs')

const store = sqliteStore('require.db')
void exercise({ express, createPlatformAuth, authOf, store, secret: 'a secret of 32 characters or more' }).then(
  (answers) => {
    console.log(JSON.stringify(answers))
  },
)
