import { shareInProcess } from './share-in-process.js'

/** The ids of applications that a tool makes for a check in this process, and deletes: usage, refusals and reports leave them out. */
export const UNCOUNTED_APPLICATIONS = shareInProcess('express-platform-auth.uncounted', () => new Set<string>())
