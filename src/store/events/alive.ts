import { request } from 'node:http'

/** Time limit of one check. The supervisor tries again in the meantime. */
const answerMs = 5000
/** The query reads system.processes so that it does not queue behind slow queries. */
const question = 'SELECT 1 FROM system.processes LIMIT 1'

/** Returns whether the engine behind a Unix socket answers a statement within 5 s. Never throws. */
export function engineAnswers(socketPath: string): Promise<boolean> {
  const path = `/?query=${encodeURIComponent(question)}`
  return new Promise((resolve) => {
    const probe = request({ socketPath, path, agent: false, signal: AbortSignal.timeout(answerMs) }, (response) => {
      response.resume()
      response.on('error', () => resolve(false))
      response.on('end', () => resolve(response.statusCode === 200))
    })
    probe.on('error', () => resolve(false))
    probe.end()
  })
}
