import { request } from 'node:http'

/** How long one question may take; who supervises asks again while it waits. */
const answerMs = 5000
/** Of system.processes, so that it does not wait behind slow queries. */
const question = 'SELECT 1 FROM system.processes LIMIT 1'

/** Whether the engine behind a Unix socket answers a statement within 5 s. Never throws. */
export function engineAnswers(socketPath: string): Promise<boolean> {
  const path = `/?query=${encodeURIComponent(question)}`
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, agent: false, signal: AbortSignal.timeout(answerMs) }, (answer) => {
      answer.resume()
      answer.on('error', () => resolve(false))
      answer.on('end', () => resolve(answer.statusCode === 200))
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
