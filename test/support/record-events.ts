import type { EventType, PlatformAuth, PlatformEvent } from '../../src/index.js'

/** The events of these types, from now on. */
export function recordEvents(
  { events }: Pick<PlatformAuth, 'events'>,
  ...types: readonly EventType[]
): PlatformEvent[] {
  const recorded: PlatformEvent[] = []
  for (const type of types) events.on(type, (event) => void recorded.push(event))
  return recorded
}
