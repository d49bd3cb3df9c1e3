const express = require('express')
const { createPlatformAuth, memoryStore } = require('express-platform-auth')
const { developerConsole } = require('express-platform-auth/console')
const showConsole = require('./console.cjs')

void showConsole({ express, createPlatformAuth, developerConsole, memoryStore }).then((answers) => {
  console.log(JSON.stringify(answers))
})
