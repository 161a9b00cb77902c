import { MishapError } from '../base/errors.ts'
import { slowMs, spoolBytesMin } from './limits.ts'
import { createChunks, gathered } from './pieces.ts'
import { arrived, fail, type IngestRequest, refuse, stopWatching, watchSlow, watchUnpacking } from './request.ts'

/** How a route processes its body. */
export type Receiver = {
  /** Maximum inflated bytes of the route; absent: the limit of an envelope. */
  bytesMax?: number
  /** Processes a body of at most 1 MiB (or `bytesMax` if the route does not spool). */
  small(intake: IngestRequest, body: Buffer): void
  /** Processes a larger body piece by piece; absent: the route has no larger bodies. */
  large?(intake: IngestRequest, pieces: AsyncIterable<Buffer>): Promise<void>
}

/**
 * Reads and inflates a request body and passes it to the receiver. Bodies that are small on the wire and inflated avoid
 * streams. All others go piece by piece, so that a request uses at most about 1 MiB. Answers all errors.
 */
export function receive(intake: IngestRequest, receiver: Receiver) {
  const { req } = intake
  const bytesMax = receiver.bytesMax ?? intake.core.bodyBytesMax
  const declared = req.headers['content-length']
  if (declared !== undefined && Number(declared) > bytesMax) return refuse(intake, new MishapError('ACCEPT_TOO_LARGE'))
  const wholeMax = receiver.large ? spoolBytesMin : bytesMax
  intake.dueMs = intake.receivedMs + slowMs
  watchSlow(intake)
  const chunks = createChunks()
  const onData = (chunk: Buffer) => {
    if (intake.answered) return
    chunks.add(chunk)
    arrived(intake, chunk.length)
    if (intake.wireBytes <= wholeMax) return
    stop()
    if (receiver.large === undefined) return refuse(intake, new MishapError('ACCEPT_TOO_LARGE'))
    req.pause()
    void receiveLarge(intake, receiver, restOf(intake, chunks.list()))
  }
  const onEnd = () => {
    stop()
    stopWatching(intake)
    if (!intake.answered) takeWhole(intake, receiver, chunks.list(), wholeMax)
  }
  const onClose = () => {
    if (req.complete) return
    // The client disconnected before the end: nothing was stored and there is nobody to answer.
    stop()
    intake.answered = true
    stopWatching(intake)
  }
  function stop(): void {
    req.off('data', onData)
    req.off('end', onEnd)
    req.off('close', onClose)
  }
  req.on('data', onData)
  req.on('end', onEnd)
  req.on('close', onClose)
}

function takeWhole(intake: IngestRequest, receiver: Receiver, chunks: Buffer[], wholeMax: number) {
  try {
    const [first] = chunks
    const wire = chunks.length === 1 && first ? first : Buffer.concat(chunks)
    if (wire.length === 0) return receiver.small(intake, wire)
    const body = intake.core.inflater.whole(intake.encoding, wire, wholeMax)
    if (body !== undefined) return receiver.small(intake, body)
    if (receiver.large === undefined) throw new MishapError('ACCEPT_BOMB')
    void receiveLarge(intake, receiver, once(wire))
  } catch (error) {
    fail(intake, error)
  }
}

async function receiveLarge(intake: IngestRequest, receiver: Receiver, source: AsyncIterable<Buffer>): Promise<void> {
  const { req, res } = intake
  // After the body has arrived, only the response reports a disconnect.
  const left = () => {
    intake.answered = true
    stopWatching(intake)
  }
  if (req.complete) watchUnpacking(intake)
  res.once('close', left)
  try {
    const pieces = intake.core.inflater.pieces(intake.encoding, source)
    const whole = () => {
      res.off('close', left)
      stopWatching(intake)
    }
    const bytesMax = receiver.bytesMax ?? intake.core.bodyBytesMax
    await receiver.large?.(intake, gathered(capped(intake, pieces, bytesMax, whole)))
  } catch (error) {
    fail(intake, error)
  } finally {
    res.off('close', left)
    stopWatching(intake)
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Yields received chunks, then the rest of the request. Extends the deadline by the time spent on each chunk. */
async function* restOf(intake: IngestRequest, chunks: Buffer[]): AsyncGenerator<Buffer> {
  const { clock } = intake.core.deps
  let sinceMs = clock.now()
  const begin = () => {
    intake.busy = true
    sinceMs = clock.now()
  }
  const end = () => {
    intake.busy = false
    intake.dueMs += Math.max(0, clock.now() - sinceMs)
  }
  begin()
  yield* chunks
  end()
  for await (const chunk of intake.req.iterator({ destroyOnReturn: false })) {
    arrived(intake, (chunk as Buffer).length)
    // No real client sends a body that inflates to less than its size on the wire.
    if (intake.wireBytes > intake.core.bodyBytesMax) throw new MishapError('ACCEPT_TOO_LARGE')
    begin()
    yield chunk as Buffer
    end()
  }
  watchUnpacking(intake)
}

/** Aborts bodies that are too long or already answered. Calls `whole` after the last piece. */
async function* capped(
  intake: IngestRequest,
  pieces: AsyncIterable<Buffer>,
  bytesMax: number,
  whole: () => void,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > bytesMax) throw new MishapError(intake.encoding === 'identity' ? 'ACCEPT_TOO_LARGE' : 'ACCEPT_BOMB')
    checkWaiting(intake)
    yield piece
  }
  checkWaiting(intake)
  // From here on the body is stored, even if its sender disconnects.
  whole()
}

/** Throws if the request was answered in between: a time-out or a disconnect. The error drops the spooled body. */
function checkWaiting(intake: IngestRequest): void {
  if (intake.answered) throw new MishapError('ACCEPT_TIMEOUT')
}
