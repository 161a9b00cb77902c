// MISHAP_E2E_META=postgres runs the tests with a PostgreSQL database for each data folder.
import { createHash } from 'node:crypto'
import { startPostgres, type TestServer } from '../src/store/meta/database/postgres/server.cases.ts'

const state: { server?: Promise<TestServer>; urls: Map<string, string> } = { urls: new Map() }

/** Returns the environment for commands on a data folder that `prepareMeta` has seen. */
export function metaEnv(data: string): Record<string, string> {
  const url = state.urls.get(data)
  return url === undefined ? {} : { MISHAP_META: url }
}

/** Gives a data folder a database of its own on a server of this process. Without the flag it does nothing. */
export async function prepareMeta(data: string): Promise<void> {
  if (process.env.MISHAP_E2E_META !== 'postgres' || state.urls.has(data)) return
  state.server ??= startPostgres({ safe: true })
  const server = await state.server
  const name = `e2e_${createHash('sha256').update(data).digest('hex').slice(0, 16)}`
  await server.sql('postgres', `create database ${name}`)
  state.urls.set(data, server.url(name))
}
