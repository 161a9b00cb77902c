import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { digestHook, digestHookOf, mayHideErrors } from './digest-hook.ts'
import { platforms } from './platforms.ts'

const dsn = 'https://abc@mishap.example/3'
const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/digests.md'), 'utf8')

it.each(digestHook.map((part) => [part.where, part.code]))(
  '%s stands in docs/digests.md, but for the DSN',
  (_where, code) => {
    expect(page).toContain(code.replaceAll('__DSN__', 'https://KEY@HOST/PROJECT'))
  },
)

it('has the DSN on both sides and no placeholder left', () => {
  const parts = digestHookOf(dsn)
  const holding = parts.filter((part) => part.code.includes(`dsn: '${dsn}', beforeSend: withDigest`))
  expect(holding.map((item) => item.where)).toEqual(['instrumentation-client.ts', 'instrumentation.ts'])
  expect(parts.some((part) => part.code.includes('__'))).toBe(false)
})

it('is shown for Next.js and React only', () => {
  const shown = platforms.filter(({ id }) => mayHideErrors(id)).map(({ id }) => id)
  expect(shown).toEqual(['javascript-react', 'javascript-nextjs'])
  expect(mayHideErrors(null)).toBe(false)
})

it('passes the compiler as it stands, with the types of the SDK', () => {
  const build = join(root, '.build')
  mkdirSync(build, { recursive: true })
  // Inside the source tree, so that the compiler finds the SDK and React.
  const folder = mkdtempSync(join(build, 'hook-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const part of digestHookOf(dsn)) {
    const file = join(folder, part.where)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, part.code)
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: 'preserve',
    types: [],
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const told = (() => {
    try {
      return execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string }
      return `failed: ${stdout}${stderr}`
    }
  })()
  expect(told).toBe('')
}, 60_000)
