const express = require('express')
const { authOf, createPlatformAuth, memoryStore } = require('express-platform-auth')
const { observe } = require('express-platform-auth/opentelemetry')
const exerciseObserved = require('./observed.cjs')

const parts = { express, createPlatformAuth, observe, authOf, store: memoryStore() }
void exerciseObserved(parts).then((counted) => console.log(JSON.stringify(counted)))
