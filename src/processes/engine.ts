import { systemClock } from '../base/clock.ts'
import { createObserve } from '../base/observe.ts'
import { startEngine } from '../store/events/engine.ts'

/**
 * Process engine: `engine.ts <folder> <socketPath> <memoryBytes> [logLevel]`, started by process main with an IPC channel, over
 * which it says 'up'. Ends on SIGTERM and when the channel closes, so that it never outlives main.
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
    // What an insert has not acknowledged by then is inserted again after the next start.
    systemClock.after(3000, () => process.exit(0))
    engine.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stop)
  // Ctrl-C reaches the whole process group: main decides when the engine ends.
  process.on('SIGINT', () => {})
  process.on('disconnect', stop)
  if (process.send) process.send('up')
  if (process.channel === null) stop()
}

await run(process.argv.slice(2))
