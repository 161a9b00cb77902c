import { MishapError } from '../base/errors.ts'
import { releaseBytes } from '../base/release.ts'
import { slowMs, spoolBytesMin } from './limits.ts'
import { coalesced, createChunks } from './pieces.ts'
import { arrived, fail, type IngestRequest, refuse, stopWatching, watchSlow, watchUnpacking } from './request.ts'

/** A larger body has several chunks. A read would join them, and leave their memory to the garbage collector. */
const wholeBytesMax = 16 * 1024

/** How a route processes its body. */
export type Receiver = {
  /** Maximum inflated bytes of the route; absent: the limit of an envelope. */
  bytesMax?: number
  /** Processes a body of at most 1 MiB (or `bytesMax` if the route does not spool). */
  small(request: IngestRequest, body: Buffer): void
  /** Processes a larger body piece by piece; absent: the route has no larger bodies. */
  large?(request: IngestRequest, chunks: AsyncIterable<Buffer>): Promise<void>
}

/**
 * Reads and inflates a request body and passes it to the receiver. Bodies that are small on the wire and inflated avoid
 * streams. All others go piece by piece, so that a request uses at most about 1 MiB. Answers all errors.
 */
export function receive(request: IngestRequest, receiver: Receiver) {
  const { req } = request
  const bytesMax = receiver.bytesMax ?? request.core.bodyBytesMax
  const declared = req.headers['content-length']
  if (declared !== undefined && Number(declared) > bytesMax) return refuse(request, new MishapError('ACCEPT_TOO_LARGE'))
  const inMemoryMax = receiver.large ? spoolBytesMin : bytesMax
  // Node parses the rest of the packet after this call and after the next tick. A body that came with its head is
  // complete at the end of the turn. It is then read whole, without listeners, a time-out and a list of chunks.
  request.core.afterTurn(() => {
    if (!req.complete || req.readableLength > wholeBytesMax) return receivePieces(request, receiver, inMemoryMax)
    const body = (req.read() as Buffer | null) ?? Buffer.alloc(0)
    request.wireBytes = body.length
    receiveSmall(request, receiver, body, inMemoryMax)
  })
}

/** Reads a body of which not all has arrived. */
function receivePieces(request: IngestRequest, receiver: Receiver, inMemoryMax: number): void {
  const { req } = request
  request.dueMs = request.receivedMs + slowMs
  watchSlow(request)
  const chunks = createChunks()
  const onData = (chunk: Buffer) => {
    if (request.answered) return
    chunks.add(chunk)
    arrived(request, chunk.length)
    if (request.wireBytes <= inMemoryMax) return
    stop()
    if (receiver.large === undefined) return refuse(request, new MishapError('ACCEPT_TOO_LARGE'))
    req.pause()
    void receiveLarge(request, receiver, remainingChunks(request, chunks.list()))
  }
  const onEnd = () => {
    stop()
    stopWatching(request)
    if (!request.answered) receiveSmall(request, receiver, joined(chunks.list()), inMemoryMax)
  }
  const onClose = () => {
    if (req.complete) return
    // The client disconnected before the end: nothing was stored and there is nobody to answer.
    stop()
    request.answered = true
    stopWatching(request)
  }
  function stop(): void {
    req.off('data', onData)
    req.off('end', onEnd)
    req.off('close', onClose)
  }
  if (req.destroyed) onClose()
  else {
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('close', onClose)
  }
}

function joined(chunks: Buffer[]): Buffer {
  const [first] = chunks
  if (chunks.length === 1 && first) return first
  const whole = Buffer.concat(chunks)
  for (const chunk of chunks) releaseBytes(chunk)
  return whole
}

function receiveSmall(request: IngestRequest, receiver: Receiver, wire: Buffer, inMemoryMax: number) {
  try {
    if (wire.length === 0) return receiver.small(request, wire)
    const body = request.core.inflater.inflateAll(request.encoding, wire, inMemoryMax)
    if (body !== undefined) {
      if (body !== wire) releaseBytes(wire)
      return receiver.small(request, body)
    }
    if (receiver.large === undefined) throw new MishapError('ACCEPT_BOMB')
    void receiveLarge(request, receiver, once(wire))
  } catch (error) {
    fail(request, error)
  }
}

async function receiveLarge(request: IngestRequest, receiver: Receiver, source: AsyncIterable<Buffer>): Promise<void> {
  const { req, res } = request
  // After the body has arrived, only the response reports a disconnect.
  const onLeft = () => {
    request.answered = true
    stopWatching(request)
  }
  if (req.complete) watchUnpacking(request)
  res.once('close', onLeft)
  try {
    const chunks = request.core.inflater.inflateStream(request.encoding, source)
    const onComplete = () => {
      res.off('close', onLeft)
      stopWatching(request)
    }
    const bytesMax = receiver.bytesMax ?? request.core.bodyBytesMax
    await receiver.large?.(request, coalesced(capped(request, chunks, bytesMax, onComplete)))
  } catch (error) {
    fail(request, error)
  } finally {
    res.off('close', onLeft)
    stopWatching(request)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Yields received chunks, then the rest of the request. Extends the deadline by the time spent on each chunk. */
async function* remainingChunks(request: IngestRequest, chunks: Buffer[]): AsyncGenerator<Buffer> {
  const { clock } = request.core.deps
  let sinceMs = clock.now()
  const begin = () => {
    request.busy = true
    sinceMs = clock.now()
  }
  const resumeClock = () => {
    request.busy = false
    request.dueMs += Math.max(0, clock.now() - sinceMs)
  }
  begin()
  yield* chunks
  resumeClock()
  for await (const chunk of request.req.iterator({ destroyOnReturn: false })) {
    arrived(request, (chunk as Buffer).length)
    // No real client sends a body that inflates to less than its size on the wire.
    if (request.wireBytes > request.core.bodyBytesMax) throw new MishapError('ACCEPT_TOO_LARGE')
    begin()
    yield chunk as Buffer
    resumeClock()
  }
  watchUnpacking(request)
}

/** Aborts bodies that are too long or already answered. Calls `onComplete` after the last piece. */
async function* capped(
  request: IngestRequest,
  chunks: AsyncIterable<Buffer>,
  bytesMax: number,
  onComplete: () => void,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new MishapError(request.encoding === 'identity' ? 'ACCEPT_TOO_LARGE' : 'ACCEPT_BOMB')
    checkUnanswered(request)
    yield chunk
  }
  checkUnanswered(request)
  // From here on the body is stored, even if its sender disconnects.
  onComplete()
}

/** Throws if the request was answered in between: a time-out or a disconnect. The error drops the spooled body. */
function checkUnanswered(request: IngestRequest): void {
  if (request.answered) throw new MishapError('ACCEPT_TIMEOUT')
}
