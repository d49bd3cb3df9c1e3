import type { ServerResponse } from 'node:http'

/** Calls a function once, when a response has been sent or its connection has ended. */
export function whenAnswered(res: ServerResponse, call: () => void): void {
  if (res.destroyed || res.writableFinished) return call()
  const callOnce = (): void => {
    res.off('finish', callOnce).off('close', callOnce)
    call()
  }
  res.on('finish', callOnce).on('close', callOnce)
}
