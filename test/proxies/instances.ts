import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import express from 'express'
import type { StoreWith } from '../../src/store.js'
import { freePort } from '../support/free-port.js'
import { accessToken, createApplication, createTokenForm } from '../support/http.js'
import { openPlatform } from '../support/platform.js'
import type { Call } from './load.js'

const PROCESS = fileURLToPath(new URL('../abuse/stopping-process.mjs', import.meta.url))

/** An app in its own process that stops as docs/production.md shows. Its port stays the same. */
export interface Instance {
  readonly port: number
  /** Starts the process; resolves when it answers. */
  start(): Promise<void>
  /** Sends SIGTERM; resolves the exit code. */
  stop(): Promise<number | null>
}

interface InstanceOptions {
  /** Milliseconds between the signal and the end of accepting connections. */
  readonly drain: number
  /** Seconds. */
  readonly maxStaleness?: number
}

export async function createInstance(database: string, options: InstanceOptions): Promise<Instance> {
  const port = await freePort()
  let child: ReturnType<typeof spawn> | undefined

  return {
    port,
    async start() {
      // Nothing is mailed, so the port of the mail server does not matter.
      child = spawn(process.execPath, [PROCESS, database, '9', JSON.stringify({ port, ...options })], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      await once(child, 'message')
    },
    async stop() {
      if (!child || child.exitCode !== null) return child?.exitCode ?? null
      const ended = once(child, 'close') as Promise<[number | null]>
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

/** Calls of an application of that store: a guarded GET, a guarded POST, and a token request. */
export async function createCalls(store: StoreWith): Promise<readonly Call[]> {
  const { auth } = openPlatform({ store, now: Date.now, baseUrl: 'http://localhost' })
  const client = await createApplication(auth, ['orders', 'catalog'])
  const Authorization = `Bearer ${await accessToken(express().use(auth.router), 'orders', client)}`
  await auth.close()
  const form = new URLSearchParams(createTokenForm(client))
  return [
    { name: 'GET', method: 'GET', path: '/orders/items', headers: { Authorization } },
    { name: 'POST', method: 'POST', path: '/orders/items', headers: { Authorization } },
    {
      name: 'token',
      method: 'POST',
      path: '/orders/token',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    },
  ]
}

/** The answers to those calls, if none failed. */
export const ALL_ANSWERED = ['GET 200', 'POST 201', 'token 200']
