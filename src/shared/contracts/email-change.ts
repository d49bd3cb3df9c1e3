import type { EmailChange, QueuedEmail } from './queued-email.js'

/** Whether the change is the first of the two. Unlike `'save' in change`, it ignores a polluted `Object.prototype`. */
export function savesEmail(change: Exclude<EmailChange, 'removeAll'>): change is { readonly save: QueuedEmail } {
  return Object.hasOwn(change, 'save')
}
