// @ts-check
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Returns the text of a file, or undefined if there is none.
 * @param {string} file
 */
export function readPrivately(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes a file that only its owner can read. If it is interrupted, the file is not changed.
 * @param {string} file @param {string} text
 */
export function writePrivately(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, text, { mode: 0o600 })
  renameSync(unfinished, file)
}
