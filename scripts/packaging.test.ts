import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyOf, named, stagesOf } from '../e2e/pack/dockerfile.ts'
import { settings } from '../src/base/config.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('the systemd unit', () => {
  const unit = read('packaging/mishap.service')
  const noSystemd = spawnSync('systemd-analyze', ['--version']).status === 0 ? undefined : 'no systemd-analyze here'

  test.each([
    ['its own user', /^User=mishap$/m],
    ['a folder for what it keeps', /^StateDirectory=mishap\n(.*\n)*?StateDirectoryMode=0700$/m],
    ['a system that it cannot write to', /^ProtectSystem=strict$/m],
    ['a start anew after a crash', /^Restart=always$/m],
    ['none after a wrong command line or setting', /^RestartPreventExitStatus=64 78$/m],
    ['more time to stop than the 5 s that it takes', /^TimeoutStopSec=10$/m],
    ['files and sockets', /^LimitNOFILE=65536$/m],
  ])('has %s', (_name, line) => {
    expect(unit).toMatch(line)
  })

  test('names settings that there are', () => {
    const known: string[] = settings.map((setting) => setting.env)
    const used = [...unit.matchAll(/\b(MISHAP_\w+)=/g)].map((found) => found[1] ?? '')
    expect(used.length).toBeGreaterThan(2)
    for (const name of used) expect(known).toContain(name)
  })

  test.skipIf(noSystemd)('is one that systemd reads without a complaint', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mishap-unit-'))
    const file = join(folder, 'mishap.service')
    try {
      // systemd checks that the command exists, and the test machine does not have it installed.
      writeFileSync(file, unit.replace('/usr/bin/mishap', '/bin/true'))
      const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
      expect([verified.status, verified.stderr]).toEqual([0, ''])
      writeFileSync(file, unit.replace('ProtectSystem=strict', 'ProtectSystem=very'))
      expect(spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' }).stderr).toMatch(
        /protect system value/i,
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the Dockerfile', () => {
  const stages = stagesOf(read('Dockerfile'))
  const last = stages.at(-1)
  const ignored = read('.dockerignore').split('\n')

  test('has three stages on one base, of which the last holds no tools of the build', () => {
    expect(stages.map((stage) => [stage.from, stage.as])).toEqual([
      ['node:24-bookworm-slim', 'build'],
      ['node:24-bookworm-slim', 'packages'],
      ['node:24-bookworm-slim', ''],
    ])
    expect(named(last, 'RUN').join()).not.toMatch(/npm|apt/)
  })

  test('copies only what is there and what .dockerignore lets through', () => {
    const copies = stages.flatMap((stage) => named(stage, 'COPY').map(copyOf))
    expect(copies.length).toBeGreaterThan(6)
    for (const { from, sources } of copies) {
      if (from !== undefined) expect(stages.map((stage) => stage.as)).toContain(from)
      else
        for (const source of sources) {
          expect([source, existsSync(join(root, source))]).toEqual([source, true])
          expect([source, ignored.includes(`!${source}`)]).toEqual([source, true])
        }
    }
  })

  test('runs as nobody in particular, keeps everything in one volume and says when it is healthy', () => {
    expect(named(last, 'USER')).toEqual(['9000:9000'])
    expect(named(last, 'VOLUME')).toEqual(['/data'])
    expect(named(last, 'ENV').join(' ')).toContain('MISHAP_DATA=/data')
    expect(named(last, 'HEALTHCHECK')[0]).toMatch(/CMD \["node", "-e", ".*\/api\/health\/ready.*"\]$/)
    expect(named(last, 'STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(named(last, 'ENTRYPOINT')[0]).toContain('/app/dist/src/processes/main.js')
  })

  test('names settings that there are', () => {
    const known: string[] = [...settings.map((setting) => setting.env), 'MISHAP_BASE_PATH']
    for (const [, name = ''] of read('Dockerfile').matchAll(/\b(MISHAP_\w+)=/g)) expect(known).toContain(name)
  })
})

describe('stagesOf', () => {
  test('joins lines, leaves comments out and keeps the order', () => {
    expect(stagesOf('# a\nFROM x AS one\nRUN a \\\n  && b\n# c\nFROM y\nCOPY --from=one a b /c/\n')).toEqual([
      { from: 'x', as: 'one', steps: [{ name: 'RUN', rest: 'a && b' }] },
      { from: 'y', as: '', steps: [{ name: 'COPY', rest: '--from=one a b /c/' }] },
    ])
    expect(copyOf('--from=one a b /c/')).toEqual({ from: 'one', sources: ['a', 'b'], target: '/c/' })
  })
  test('nothing stands before FROM', () => expect(() => stagesOf('RUN a')).toThrow('before FROM'))
})
