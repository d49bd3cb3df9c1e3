/** The answer of every contender's guarded route. */
export const ANSWER = {
  orders: [
    { id: 'ord_1', customer: 'Corner Shop', total: 1250, currency: 'EUR', status: 'paid' },
    { id: 'ord_2', customer: 'Price Watch', total: 480, currency: 'EUR', status: 'open' },
  ],
}
const TEXT = JSON.stringify(ANSWER)

/** Whether an answer is the expected success of a guarded route or of a token endpoint. */
export function isRight(text, { method = 'GET' }) {
  return method === 'GET' ? text === TEXT : typeof JSON.parse(text).access_token === 'string'
}
