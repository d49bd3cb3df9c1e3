const Sentry = require('@sentry/node')

let count = 0
const transport = () => ({ send: async () => ({}), flush: async () => true })
const beforeSendTransaction = (event) => {
  count += event.spans.length
  return event
}
Sentry.init({
  dsn: 'https://key@localhost/1',
  tracesSampleRate: 1,
  traceLifecycle: 'static',
  transport,
  beforeSendTransaction,
})

exports.countSpans = () => count
exports.finish = (app) => Sentry.setupExpressErrorHandler(app)
