const express = require('express')
const { authOf, createPlatformAuth, memoryStore } = require('express-platform-auth')
const { developerConsole } = require('express-platform-auth/console')
const showConsole = require('./console.cjs')
const exercise = require('./exercise.cjs')

async function main() {
  const answers = await exercise({ express, createPlatformAuth, authOf, store: memoryStore() })
  const shown = await showConsole({ express, createPlatformAuth, developerConsole, memoryStore })
  console.log(JSON.stringify({ answers, console: shown }))
}
void main()
