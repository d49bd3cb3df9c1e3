/** What every guarded route answers, whoever guards it. */
export const ANSWER = {
  orders: [
    { id: 'ord_1', customer: 'Corner Shop', total: 1250, currency: 'EUR', status: 'paid' },
    { id: 'ord_2', customer: 'Price Watch', total: 480, currency: 'EUR', status: 'open' },
  ],
}
const TEXT = JSON.stringify(ANSWER)

/** Whether that is how a route, or a token endpoint, answers who is let in. */
export function isRight(text, { method = 'GET' }) {
  return method === 'GET' ? text === TEXT : typeof JSON.parse(text).access_token === 'string'
}
