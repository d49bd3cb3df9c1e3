/** An object that an ESM and a CommonJS copy of this package share. */
export function shareInProcess<Shared>(name: string, create: () => Shared): Shared {
  const key = Symbol.for(name)
  if (!Object.hasOwn(globalThis, key)) Object.defineProperty(globalThis, key, { value: create() })
  return Reflect.get(globalThis, key) as Shared
}
