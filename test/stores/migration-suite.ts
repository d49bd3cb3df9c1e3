import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SchemaMigration, StoreWith } from '../../src/shared/contracts/store.js'
import { CALLS } from './calls.js'
import { expectFilled, fillStore, useNextMigration } from './next-migration.js'

/** How the tests of both SQL stores open a database, and read it past the store. */
interface SqlDatabase<Migration> {
  readonly name: 'sqlite' | 'postgres'
  readonly migrations: readonly Migration[]
  readonly nextMigration: Migration
  /** Replaces the database of the test by an empty one. */
  makeEmpty(): Promise<void>
  createStore(): StoreWith
  run(text: string): unknown
  readSchema(): unknown
  /** All that a refused call must leave as it is. */
  readAll(): unknown
  /** Makes these migrations, each of which may be a function, without a store. */
  migrate(migrations: readonly (Migration | string | (() => never))[]): Promise<SchemaMigration | undefined>
  addStep(name: string): Migration
  readSteps(): unknown
}

/** What both SQL stores do with a schema that is missing, of another version, or being changed. */
export function describeMigrations<Migration>(db: SqlDatabase<Migration>): void {
  const { migrations, nextMigration, makeEmpty, createStore } = db
  const former = migrations.length

  async function openStore(): Promise<StoreWith> {
    const store = createStore()
    await store.open()
    return store
  }

  describe(`migration of a database of the ${db.name} store`, () => {
    const next = useNextMigration(migrations, nextMigration)
    beforeEach(async () => {
      next.restore()
      await makeEmpty()
      const store = await openStore()
      await fillStore(store)
      await store.close()
      next.apply()
    })

    it('leads to the schema of a new database', async () => {
      await openStore()
      const migrated = await db.readSchema()
      await makeEmpty()
      await openStore()
      expect(await db.readSchema()).toEqual(migrated)
    })

    it('is refused with migrate: false, and the database is unchanged', async () => {
      const before = await db.readAll()
      await expect(createStore().open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
      expect(await db.readAll()).toEqual(before)
    })

    it('that fails leaves the former schema, and succeeds later', async () => {
      await db.run('CREATE INDEX platform_auth_emails_by_problem ON platform_auth_emails (id)')
      const before = await db.readAll()
      const store = createStore()
      for (let i = 0; i < 2; i++) await expect(store.open()).rejects.toThrow('platform_auth_emails_by_problem')
      expect(await db.readAll()).toEqual(before)
      await db.run('DROP INDEX platform_auth_emails_by_problem')
      expect(await store.open()).toMatchObject({ from: former, to: former + 1 })
      await expectFilled(store)
    })
  })

  describe(`the ${db.name} store`, () => {
    beforeEach(makeEmpty)

    it('refuses a newer schema, and opens once the schema is its own', async () => {
      await (await openStore()).close()
      await db.run(`UPDATE platform_auth_meta SET value = '99' WHERE key = 'schema'`)
      const store = createStore()
      await expect(store.open()).rejects.toMatchObject({
        code: 'schema_too_new',
        message: expect.stringContaining('99'),
      })
      await expect(store.findApplication('a')).rejects.toThrow('not open')
      await db.run(`UPDATE platform_auth_meta SET value = '${former}' WHERE key = 'schema'`)
      await store.open()
      expect(await store.findApplication('a')).toBeUndefined()
    })

    it('refuses a database of a build before the first release with the fix, migrating or not, and does not touch it', async () => {
      await db.run('CREATE TABLE platform_auth_meta (key text PRIMARY KEY, value text NOT NULL)')
      await db.run(`INSERT INTO platform_auth_meta VALUES ('schema_version', '6'), ('pepper', 'plain:x')`)
      const before = await db.readAll()
      for (const migrate of [true, false])
        await expect(createStore().open({ migrate })).rejects.toMatchObject({
          code: 'schema_too_old',
          problem: expect.stringContaining('before its first release'),
          fix: expect.stringContaining('Use another database'),
        })
      expect(await db.readAll()).toEqual(before)
    })

    it('refuses to create tables with migrate: false', async () => {
      const store = createStore()
      for (let i = 0; i < 2; i++)
        await expect(store.open({ migrate: false })).rejects.toMatchObject({ code: 'schema_too_old' })
      await store.open()
      await createStore().open({ migrate: false })
    })

    it('rejects every call before open() and after close()', async () => {
      const store = createStore()
      for (const [name, call] of CALLS) await expect(call(store), name).rejects.toThrow('open()')
      await store.open()
      for (const [, call] of CALLS) await call(store)
      await Promise.all([store.close(), store.close()])
      await store.close()
      for (const [name, call] of CALLS) await expect(call(store), name).rejects.toThrow('closed')
      await expect(store.open()).rejects.toThrow('closed')
    })
  })

  describe(`migrations of the ${db.name} store`, () => {
    it('are one numbered file per schema version', () => {
      const folder = fileURLToPath(new URL(`../../src/stores/${db.name}/migrations/`, import.meta.url))
      const numbers = readdirSync(folder).flatMap((name) => /^(\d{3})-[a-z0-9-]+\.ts$/.exec(name)?.[1] ?? [])
      expect(numbers).toEqual(migrations.map((_, i) => String(i + 1).padStart(3, '0')))
    })

    it('may be functions, and are run in order, each once', async () => {
      await makeEmpty()
      const meta = 'CREATE TABLE platform_auth_meta (key text PRIMARY KEY, value text); CREATE TABLE steps (name text)'
      const [second, third, fourth] = ['second', 'third', 'fourth'].map(db.addStep) as [Migration, Migration, Migration]
      expect(await db.migrate([meta, second])).toBeUndefined()
      expect(await db.migrate([meta, second, third])).toMatchObject({ from: 2, to: 3 })
      const fail = (): never => {
        throw new Error('The fifth migration fails.')
      }
      await expect(db.migrate([meta, second, third, fourth, fail])).rejects.toThrow('fifth')
      expect(await db.readSteps()).toEqual([{ name: 'second' }, { name: 'third' }])
      expect(await db.migrate([meta, second, third])).toBeUndefined()
    })
  })
}
