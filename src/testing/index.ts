export { accessTokenFor, apiKeyFor } from './credentials.js'
export { fakeClock, type FakeClock } from './clock.js'
export { memoryMailer, type MemoryMailer } from './mailer.js'
