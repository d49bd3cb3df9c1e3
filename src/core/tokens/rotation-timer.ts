import type { Logger } from '../../shared/contracts/logger.js'
import type { KeyRotation } from './key-rotation.js'

/** Rotates the signing key when it has reached the age of the option `tokens.rotateEvery`. */
export interface RotationTimer {
  start(): void
  close(): void
}

interface RotationTimerOptions {
  readonly keyRotation: Pick<KeyRotation, 'rotateWhenOlderThan'>
  /** Seconds; undefined if keys are rotated manually only. */
  readonly rotateEvery: number | undefined
  readonly logger: Pick<Logger, 'error'>
}

const MAX_CHECK_INTERVAL_SECONDS = 60

export function createRotationTimer({ keyRotation, rotateEvery, logger }: RotationTimerOptions): RotationTimer {
  let timer: NodeJS.Timeout | undefined

  function reportFailure(error: unknown): void {
    logger.error('The signing key could not be rotated; the platform will retry.', error)
  }

  return {
    start() {
      if (rotateEvery === undefined) return
      const check = (): void => void keyRotation.rotateWhenOlderThan(rotateEvery).catch(reportFailure)
      timer = setInterval(check, Math.min(MAX_CHECK_INTERVAL_SECONDS, rotateEvery) * 1000).unref()
    },
    close() {
      clearInterval(timer)
    },
  }
}
