import { invalidOption, readDays } from '../../shared/lib/option-checks.js'
import { group } from '../../shared/lib/option-rules.js'
import type { BackgroundOptions } from './options.js'
import type { BackgroundSettings } from './settings.js'

/** An operator's link is good for 14 days, and its page tells what was decided. */
const MIN_AUDIT_RETENTION = 30

/** Reads the option `background`. */
export function readBackground(background: false | BackgroundOptions | undefined): BackgroundSettings {
  if (background === false) return { enabled: false, auditRetention: undefined }
  return { enabled: true, ...readGroup(background) }
}

const readGroup = group('background', {
  auditRetention(option, retention): number | undefined {
    if (retention === undefined) return undefined
    const days = readDays(option, retention)
    if (days >= MIN_AUDIT_RETENTION) return days
    throw invalidOption(option, retention, `Write days: at least ${MIN_AUDIT_RETENTION}.`)
  },
})
