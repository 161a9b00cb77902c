import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { type ErrorCode, MishapError } from '../../base/errors.ts'
import { syncPath } from '../sync.ts'
import { openFileBlobs } from './files.ts'
import { type BlobSource, isSpool } from './open.ts'
import { createS3Client, type S3Client, S3Fault } from './s3/client.ts'
import { checksumHeader, hashHeader } from './s3/hashes.ts'

/** The file of the data folder that names the bucket of its blobs. Data folders with files have none. */
export const blobStoreFile = 'blobs.json'

const placeOf = ({ s3 }: BlobSource): string =>
  s3 ? `s3://${s3.config.bucket}${s3.config.prefix ? `/${s3.config.prefix}` : ''}` : 'files in the data folder'

/** Returns the place where this data folder has its blobs; undefined if it has used no bucket. */
function recordedPlace(data: string): string | undefined {
  try {
    const value = JSON.parse(readFileSync(join(data, blobStoreFile), 'utf8')) as { place?: unknown }
    return typeof value.place === 'string' ? value.place : undefined
  } catch {
    return undefined
  }
}

/** Records the bucket of this data folder, so that no later start looks for its blobs in another place. */
export async function recordBlobPlace(data: string, source: BlobSource): Promise<void> {
  if (source.s3) await writeBlobPlace(data, placeOf(source))
}

/** Records the place of the blobs of this data folder; empty: in files. */
export async function writeBlobPlace(data: string, place: string): Promise<void> {
  const file = join(data, blobStoreFile)
  if (place === '') return rm(file, { force: true })
  await writeFile(`${file}~`, `${JSON.stringify({ place })}\n`, { mode: 0o600 })
  await syncPath(`${file}~`)
  await rename(`${file}~`, file)
  await syncPath(data)
}

/** Throws START_BLOBS_ELSEWHERE if the blobs of this data folder are in another place than the configured place. */
export async function demandBlobPlace(data: string, source: BlobSource): Promise<void> {
  const [recorded, place] = [recordedPlace(data), placeOf(source)]
  const elsewhere = (where: string) =>
    new MishapError('START_BLOBS_ELSEWHERE', {
      detail: `The blobs of ${data} are in ${where}, but MISHAP_BLOBS says ${place}.`,
    })
  if (recorded !== undefined && recorded !== place) throw elsewhere(recorded)
  if (recorded !== undefined || !source.s3) return
  const keys = await openFileBlobs(source.folder).list('')
  if (keys.some((key) => !isSpool(key))) throw elsewhere(`${source.folder}`)
}

/** Answers to wrong or weak keys. */
const keyFaults = new Set([
  'AccessDenied',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
  'HTTP 401',
  'HTTP 403',
])

function codeOf({ kind, reason }: S3Fault): ErrorCode {
  if (kind === 'unreachable') return 'START_BLOBS_UNREACHABLE'
  if (kind === 'tls') return 'START_BLOBS_TLS'
  if (keyFaults.has(reason)) return 'START_BLOBS_CREDENTIALS'
  return reason === 'NoSuchBucket' ? 'START_BLOBS_BUCKET' : 'START_BLOBS_UNSUITABLE'
}

const unsuitable = (lack: string) =>
  new MishapError('START_BLOBS_UNSUITABLE', { detail: `The blob store cannot be used: ${lack}.` })

/** Uses the bucket once in each way that Mishap needs. Throws S3Fault, START_BLOBS_UNSUITABLE. */
async function tryOut(client: S3Client): Promise<void> {
  const { prefix } = client.config
  const listed = await client.call({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1', prefix } })
  if (listed.status !== 200) throw client.faultOf(listed)
  const key = `~start/${randomUUID()}`
  const body = Buffer.from('Mishap tries out the bucket at its start.')
  const headers = { 'if-none-match': '*', [hashHeader]: 'kept', ...checksumHeader(body) }
  const written = await client.call({ method: 'PUT', key, headers, body })
  if (written.status >= 300) throw client.faultOf(written)
  const again = await client.call({ method: 'PUT', key, headers, body })
  const head = await client.call({ method: 'HEAD', key })
  const deleted = await client.call({ method: 'DELETE', key })
  if (again.status !== 412) throw unsuitable('it ignores If-None-Match, so it cannot write on a condition')
  if (head.headers[hashHeader] !== 'kept') throw unsuitable('it does not keep the metadata of objects')
  if (deleted.status >= 300) throw client.faultOf(deleted)
}

/**
 * Uses a blob store once in each way that Mishap needs. Returns the fault of a store that may come back by itself. Throws
 * START_BLOBS_* for everything that a person must correct.
 */
async function outageOf(source: BlobSource, clock: Clock): Promise<MishapError | undefined> {
  if (!source.s3) return undefined
  try {
    await tryOut(createS3Client({ ...source.s3, clock, idleMs: startIdleMs }))
    return undefined
  } catch (error) {
    if (!(error instanceof S3Fault)) throw error
    const code = codeOf(error)
    const isOutage =
      code === 'START_BLOBS_UNREACHABLE' || error.reason.startsWith('HTTP 5') || serverFaults.has(error.reason)
    const fault = new MishapError(isOutage ? 'START_BLOBS_UNREACHABLE' : code, { detail: error.message })
    if (isOutage) return fault
    throw fault
  }
}

/** Checks a blob store before a move into it. Throws START_BLOBS_*. */
export async function probeBlobStore(source: BlobSource, clock: Clock): Promise<void> {
  const outage = await outageOf(source, clock)
  if (outage) throw outage
}

/**
 * Checks the blob store at a start. Returns undefined if it works. A store that worked before and cannot be reached now
 * is an outage: then it returns the reason, and the start goes on, because ingest does not need it. Throws START_BLOBS_*
 * for everything that a person must correct.
 */
export async function checkBlobStore(data: string, source: BlobSource, clock: Clock): Promise<string | undefined> {
  await demandBlobPlace(data, source)
  const outage = await outageOf(source, clock)
  if (outage && recordedPlace(data) !== undefined) return outage.message
  if (outage) throw outage
  await recordBlobPlace(data, source)
  return undefined
}

/** A start waits this long for an answer, ms: ingest begins after it. */
const startIdleMs = 3000
/** Answers of a server that is not ready. */
const serverFaults = new Set(['InternalError', 'ServiceUnavailable', 'SlowDown'])
