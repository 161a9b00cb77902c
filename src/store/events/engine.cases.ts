import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

/**
 * Starts an embedded engine with its data in a folder. Resolves when it answers at the socket. Rejects if it ends before.
 */
export function startTestEngine(data: string, socketPath: string, memoryBytes = 400 * 2 ** 20): Promise<ChildProcess> {
  const entry = join(import.meta.dirname, '../../processes/engine.ts')
  const words = ['--max-http-header-size=4194304', entry, data, socketPath, String(memoryBytes)]
  // Stripping and compiling the engine's modules is a third of a start.
  const { NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { NODE_ENV: 'test', UV_THREADPOOL_SIZE: '32', ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) },
  })
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child))
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}`)))
  })
}
