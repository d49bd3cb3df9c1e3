import { invalidOption, readDays, readGroup } from '../../shared/lib/option-checks.js'
import type { BackgroundOptions } from './options.js'
import type { BackgroundSettings } from './settings.js'

/** An operator's link is good for 14 days, and its page tells what was decided. */
const MIN_AUDIT_RETENTION = 30

/** Reads the option `background`. */
export function readBackground(background: false | BackgroundOptions | undefined): BackgroundSettings {
  if (background === false) return { enabled: false, auditRetention: undefined }
  const { auditRetention } = readGroup('background', background, ['auditRetention'])
  return { enabled: true, auditRetention: readAuditRetention(auditRetention) }
}

function readAuditRetention(retention: number | undefined): number | undefined {
  if (retention === undefined) return undefined
  const days = readDays('background.auditRetention', retention)
  if (days >= MIN_AUDIT_RETENTION) return days
  throw invalidOption('background.auditRetention', retention, `Write days: at least ${MIN_AUDIT_RETENTION}.`)
}
