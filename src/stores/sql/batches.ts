import type { UsageBatch } from '../../shared/contracts/usage.js'
import { run, type Work } from './work.js'

/** Returns false for a batch that was added before. Waits for a transaction that is adding it. */
export function* addBatch({ id, at }: UsageBatch): Work<boolean> {
  const text = 'INSERT INTO platform_auth_usage_batches (id, at) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING'
  return (yield* run(text, id, at)) > 0
}
