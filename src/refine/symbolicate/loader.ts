import { parentPort, workerData } from 'node:worker_threads'
import { isBlobsAway } from '../../base/errors.ts'
import { type BlobSource, openBlobs } from '../../store/blobs/open.ts'
import type { ArtifactFile } from '../../store/meta/artifacts/artifacts.ts'
import { type FromLoader, load, type ToLoader } from './load.ts'

// The entry point of the thread that reads maps. It runs one job at a time, because a job uses the whole thread.
if (parentPort) {
  const port = parentPort
  const blobs = openBlobs((workerData as { blobSource: BlobSource }).blobSource)
  const post = (message: FromLoader) => port.postMessage(message)
  const pending = new Map<number, (files: (ArtifactFile | null)[]) => void>()
  port.on('message', (message: ToLoader) => {
    if (message.kind === 'files') {
      pending.get(message.job)?.(message.files)
      pending.delete(message.job)
      return
    }
    const { job } = message
    post({ kind: 'begun', job })
    const findSources = (urls: string[]) =>
      new Promise<(ArtifactFile | null)[]>((resolve) => {
        pending.set(job, resolve)
        post({ kind: 'sources', job, urls })
      })
    load(message, blobs, findSources).then(
      (loaded) => post({ kind: 'loaded', job, loaded }),
      (error: unknown) => post({ kind: 'loaded', job, loaded: { reason: 'file_gone', away: isBlobsAway(error) } }),
    )
  })
}
