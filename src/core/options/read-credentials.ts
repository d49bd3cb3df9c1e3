import { invalidOption } from '../../shared/lib/option-checks.js'
import { days, group, optional } from '../../shared/lib/option-rules.js'

/** Reads the option `credentials`. */
export const readCredentials = group('credentials', {
  prefix(option, given): string {
    const prefix = given ?? 'epa'
    if (typeof prefix === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,19}$/.test(prefix)) return prefix
    throw invalidOption(option, prefix, 'Write up to 20 letters, digits and underscores, a letter first.')
  },
  maxAge: optional(days()),
})
