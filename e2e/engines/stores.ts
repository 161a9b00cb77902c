// PostgreSQL, a ClickHouse node and S3 for one product, started here.
import { noS3, type S3Server, startS3Server } from '../../src/store/blobs/s3-server.cases.ts'
import { noPostgres, startPostgres, type TestServer } from '../../src/store/meta/database/postgres/server.cases.ts'
import { type ClickHouseNode, noNodeReason, startClickHouseNode } from './clickhouse-node/node.ts'
import { type Wire, wireTo } from './wire.ts'

export type Stores = {
  postgres: TestServer
  node: ClickHouseNode
  s3: S3Server
  /** The networks to the node and to S3. */
  wires: readonly [Wire, Wire]
  /** The settings of a product. `wired`: it reaches the node and S3 through the networks above. */
  settings(wired: boolean): Record<string, string>
  /** Ends the three and deletes their data. */
  remove(): Promise<void>
}

/** Returns why the three cannot be started here; undefined if they can. */
export const noStores = (): string | undefined => noPostgres() ?? noNodeReason() ?? noS3

const user = { name: 'mishap', password: 'p@ss/word', database: 'errors' }

/** Starts the three at once, with an empty database and bucket. Throws if one does not start. */
export async function startStores(): Promise<Stores> {
  const started = [startPostgres({ safe: true }), startClickHouseNode({ users: [user] }), startS3Server()] as const
  const [postgres, node, s3] = await Promise.all(started)
  await postgres.sql('postgres', 'create database combined')
  await node.ask(`CREATE DATABASE ${user.database}`)
  await s3.createBucket('mishap')
  const s3Port = Number(new URL(s3.endpoint).port)
  const wires = [await wireTo(node.port), await wireTo(s3Port)] as const
  return {
    postgres,
    node,
    s3,
    wires,
    settings: (wired) => {
      const [toNode, toS3] = wired ? [wires[0].port, wires[1].port] : [node.port, s3Port]
      return {
        MISHAP_META: postgres.url('combined'),
        MISHAP_EVENTS: `http://${user.name}:${encodeURIComponent(user.password)}@127.0.0.1:${toNode}/${user.database}`,
        MISHAP_BLOBS: s3.url('mishap').replace(s3.endpoint, `http://127.0.0.1:${toS3}`),
      }
    },
    remove: async () => {
      for (const wire of wires) wire.close()
      await Promise.all([postgres.remove(), node.discard(), s3.remove()])
    },
  }
}
