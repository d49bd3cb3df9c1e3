import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'
import { StoreUnavailableError } from '../../../src/index.js'
import { postgresStore } from '../../../src/stores/postgres/index.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import { application, audit } from '../suite/records.js'
import { usePostgres } from './databases.js'

const db = usePostgres()

describe.concurrent('postgresStore, when the connection breaks at COMMIT,', () => {
  it.for(['after', 'silence'] as const)(
    'resolves a change that was committed: %s',
    async (when, { onTestFinished: atEnd }) => {
      const { proxy, store } = await openProxiedStore(atEnd)
      const broken = proxy.breakAtCommit(when)
      const id = `committed-${when}`
      expect(await store.saveApplication(application(id), audit(id))).toBe(true)
      await broken
      expect((await store.findApplication(id))?.version).toBe(1)
      expect(await store.listAudit({ after: undefined, limit: 10, applicationId: id })).toHaveLength(1)
    },
  )

  it('waits for a COMMIT that takes long', async ({ onTestFinished: atEnd }) => {
    const { proxy, store } = await openProxiedStore(atEnd)
    await db.ask(`
      CREATE FUNCTION delay_commit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER delay_commit AFTER INSERT ON platform_auth_changes
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.id = 'slow') EXECUTE FUNCTION delay_commit()`)
    void proxy.breakAtCommit('after')
    expect(await store.saveApplication(application('slow'), audit('slow'))).toBe(true)
  })

  it('rejects a change that was rolled back, and does not call its outcome unknown', async ({
    onTestFinished: atEnd,
  }) => {
    const { proxy, store } = await openProxiedStore(atEnd)
    const broken = proxy.breakAtCommit('before')
    const failure = await store.saveApplication(application('lost'), audit('lost')).catch((error: unknown) => error)
    await broken
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toHaveProperty('outcome')
    expect(await store.findApplication('lost')).toBeUndefined()
    expect(await store.listAudit({ after: undefined, limit: 10, applicationId: 'lost' })).toEqual([])
  })

  it('rejects with outcome `unknown` if PostgreSQL cannot be reached then', async ({ onTestFinished: atEnd }) => {
    const { proxy, store } = await openProxiedStore(atEnd)
    const refused = proxy.breakAtCommit('after').then(proxy.refuse)
    const failure = await store.saveApplication(application('a'), audit('a')).catch((error: unknown) => error)
    await refused
    expect(failure).toBeInstanceOf(StoreUnavailableError)
    expect(failure).toMatchObject({ outcome: 'unknown', cause: { code: 'ECONNRESET' } })
  })
})

/** A store whose connection goes through a proxy. */
async function openProxiedStore(atEnd: (end: () => Promise<void>) => void) {
  const proxy = await startTcpProxy(db.url)
  atEnd(proxy.end)
  const pool = new Pool(db.poolConfig({ connectionString: proxy.url, max: 1 }))
  atEnd(() => pool.end())
  const store = postgresStore({ pool, listen: false })
  await store.open()
  return { proxy, store }
}
