import { request } from 'node:http'

/** Time limit of one check. The supervisor tries again in the meantime. */
const answerMs = 5000
/** The query reads system.processes so that it does not queue behind slow queries. */
const question = 'SELECT 1 FROM system.processes LIMIT 1'

/** Returns whether the engine behind a Unix socket answers a statement within 5 s. Never throws. */
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
