import { systemClock } from '../base/clock.ts'
import { keepHeapSmall } from '../base/heap.ts'
import { keepMappingsSmall } from '../base/mapped-pages.ts'
import { createObserve } from '../base/observe.ts'
import { startEngine } from '../store/events/engine.ts'

/** How often the engine looks for parts that a full disk cut off. Until then searches in them fail. */
const partCheckMs = 10_000

/**
 * Process engine: `engine.ts <folder> <socketPath> <memoryBytes> [logLevel]`. Process main starts it with an IPC
 * channel, on which it sends 'up'. It exits on SIGTERM and when the channel closes, so that it never outlives main. It
 * also exits when a restart would repair parts, and main restarts it.
 */
async function run(words: string[]): Promise<void> {
  const [folder, socketPath, memory, logLevel = 'info'] = words
  const memoryBytes = Number(memory)
  const observe = createObserve('engine', logLevel)
  if (!folder || !socketPath || !Number.isSafeInteger(memoryBytes)) {
    observe.error({}, 'usage: engine.ts <folder> <socketPath> <memoryBytes> [logLevel]')
    process.exit(64)
  }
  const engine = await startEngine({ folder, socketPath, memoryBytes, observe }).catch((error) => {
    observe.error({ error: String(error).slice(0, 500) }, 'the engine could not start')
    process.exit(1)
  })
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    // Inserts that are not acknowledged by then are repeated after the next start.
    systemClock.after(3000, () => process.exit(0))
    engine.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stop)
  // Ctrl-C reaches the whole process group. Main decides when the engine exits.
  process.on('SIGINT', () => {})
  process.on('disconnect', stop)
  systemClock.every(partCheckMs, () => {
    engine.tornParts().then(
      (parts) => {
        if (parts.length === 0) return
        observe.warn({ parts }, 'a full disk cut off parts; the engine restarts to replace or repair them')
        stop()
      },
      (error) => observe.warn({ error: String(error).slice(0, 500) }, 'the check of parts failed'),
    )
  })
  keepHeapSmall(systemClock)
  keepMappingsSmall(systemClock)
  if (process.send) process.send('up')
  if (process.channel === null) stop()
}

await run(process.argv.slice(2))
