/** The result of `work`, during which every object inherits these members. */
export async function whilePolluted<Result>(members: object, work: () => Result): Promise<Awaited<Result>> {
  Object.assign(Object.prototype, members)
  try {
    return await work()
  } finally {
    for (const name of Object.keys(members)) Reflect.deleteProperty(Object.prototype, name)
  }
}
