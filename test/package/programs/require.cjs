const express = require('express')
const { authOf, createPlatformAuth, memoryStore } = require('express-platform-auth')
const exercise = require('./exercise.cjs')

void exercise({ express, createPlatformAuth, authOf, store: memoryStore() }).then((answers) => {
  console.log(JSON.stringify(answers))
})
