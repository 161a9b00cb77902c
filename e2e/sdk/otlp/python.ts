import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../product.ts'
import { clean } from '../build.ts'

const programs = join(root, 'e2e/sdk/otlp')
const venv = join(root, 'e2e/out/otlp-python')

/** Runs a program of e2e/sdk/otlp and waits. Throws with its output if it fails. */
export function execute(command: string, words: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const options = { cwd: programs, env: { ...clean(), ...env }, timeout: 200_000 }
  return new Promise((resolve, reject) => {
    execFile(command, [...words], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${words.join(' ')}: ${`${stdout}${stderr}`.slice(-3000)}`))
      else resolve(`${stdout}${stderr}`)
    })
  })
}

/** Installs the Python SDK of OpenTelemetry once. Returns the reason if it cannot, else undefined. */
export async function preparePython(): Promise<string | undefined> {
  if (spawnSync('python3', ['--version'], { stdio: 'ignore' }).status !== 0) return 'no python3 on this machine'
  try {
    if (!existsSync(join(venv, 'bin/pip'))) await execute('python3', ['-m', 'venv', venv])
    const words = ['install', '--quiet', '--no-deps', '--retries=1', '--requirement', 'requirements.txt']
    await execute(join(venv, 'bin/pip'), words)
  } catch (error) {
    return `its packages cannot be fetched: ${error instanceof Error ? error.message : error}`
  }
  return undefined
}

/** Runs a program of e2e/sdk/otlp with the Python that `preparePython` made. */
export const python = (program: string, env: Record<string, string>): Promise<string> =>
  execute(join(venv, 'bin/python'), ['-B', program], env)
