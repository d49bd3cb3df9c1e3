// @ts-check
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { readPrivately, writePrivately } from '../process/private-file.js'

/** @typedef {{ id: string, from: string, to: string, subject: string, date: Date, text: string }} KeptEmail */

/** @typedef {ReturnType<typeof openMailbox>} Mailbox */

/**
 * Keeps e-mails in a folder, each in a file that any mail program opens. They contain credentials: use it only for trials.
 * @param {string} folder is created with the first e-mail
 */
export function openMailbox(folder) {
  return {
    /** @param {string} eml */
    keep(eml) {
      writePrivately(join(folder, `${createId()}.eml`), eml)
    },

    /** The 50 newest e-mails, newest first. */
    async list() {
      const emails = await Promise.all(listIds(folder).toSorted().toReversed().slice(0, 50).map(find))
      return emails.filter((email) => email !== undefined)
    },

    find,
    readEml,
  }

  /** @param {string} id @returns {Promise<KeptEmail | undefined>} */
  async function find(id) {
    const eml = readEml(id)
    if (eml === undefined) return undefined
    const { from, to, subject = '', date = '', text = '' } = await PostalMime.parse(eml)
    return { id, from: readAddress(from), to: readAddress(to?.[0]), subject, date: new Date(date), text }
  }

  /** @param {string} id */
  function readEml(id) {
    return /^[\w-]+$/.test(id) ? readPrivately(join(folder, `${id}.eml`)) : undefined
  }
}

/** Ids sort by time and cannot be guessed. */
function createId() {
  return `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(8).toString('hex')}`
}

/** @param {string} folder */
function listIds(folder) {
  try {
    return readdirSync(folder).flatMap((name) => /^([\w-]+)\.eml$/.exec(name)?.[1] ?? [])
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return []
    throw error
  }
}

/** @param {import('postal-mime').Address | undefined} address */
function readAddress(address) {
  return address?.address ?? ''
}
