import type { ConfigurationProblem } from '../../shared/contracts/errors.js'
import type { Sql } from './connection.js'

const INSUFFICIENT_PRIVILEGE = '42501'
/** No schema of the search path exists, or the role may use none. */
const NO_SCHEMA = '3F000'

/** The error of a failed start; one for a missing right gets a `grant`, the SQL that cures it. */
export async function addGrant(sql: Sql, error: unknown): Promise<unknown> {
  const { code } = Object(error) as { code?: unknown }
  if (code !== INSUFFICIENT_PRIVILEGE && code !== NO_SCHEMA) return error
  // A role that may not even connect cannot ask.
  const grant = await describeGrant(sql).catch(() => undefined)
  return grant === undefined ? error : Object.assign(error as Error, { grant })
}

async function describeGrant(sql: Sql): Promise<string | undefined> {
  const tables = await findMissingPrivileges(sql)
  if (tables) return tables.fix
  const found = await sql.get<{ role: string; schema: string; exists: 't' | 'f' }>(FIRST_SCHEMA)
  const { role, schema, exists } = found ?? {}
  if (role === undefined || schema === undefined) return undefined
  return exists === 't'
    ? `As the owner of the schema: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`
    : `CREATE SCHEMA ${schema} AUTHORIZATION ${role};`
}

/** The schema in which the tables would be: the first of the search path that exists, or else the last that it names. */
const FIRST_SCHEMA = `
  SELECT quote_ident(current_user) AS role, quote_ident(found.name) AS schema, found.exists
  FROM (SELECT replace(btrim(name, ' "'), '$user', current_user) AS name, position,
      EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = replace(btrim(name, ' "'), '$user', current_user)) AS exists
    FROM unnest(string_to_array(current_setting('search_path'), ',')) WITH ORDINALITY AS path (name, position)) AS found
  ORDER BY found.exists DESC, CASE WHEN found.exists THEN found.position ELSE -found.position END LIMIT 1`

/** The rights that the role lacks on the tables that it finds. */
export async function findMissingPrivileges(sql: Sql): Promise<ConfigurationProblem | undefined> {
  const missing = await sql.get<{ role: string; privileges: string; tables: string }>(MISSING_PRIVILEGES)
  if (!missing) return undefined
  const { role, privileges, tables } = missing
  return {
    problem: `The role ${role} lacks rights (${privileges}) on tables of the store`,
    fix: `As the owner of the tables: GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${role};`,
  }
}

const MISSING_PRIVILEGES = `
  SELECT quote_ident(current_user) AS role, string_agg(DISTINCT privilege, ', ') AS privileges,
    string_agg(DISTINCT relname, ', ') AS tables
  FROM pg_catalog.pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
  WHERE starts_with(relname, 'platform_auth_') AND relkind IN ('r', 'p') AND pg_table_is_visible(oid)
    AND NOT has_table_privilege(oid, privilege)
  HAVING count(*) > 0`
