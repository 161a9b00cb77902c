import { chownSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { giveCommand, serveControl } from './control.ts'
import { layOut } from './folders.ts'

test('a command is carried out by whoever listens on the socket', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'mishap-control-')), 'c.sock')
  expect(await giveCommand(path, 'greet', {})).toBeUndefined()
  const server = await serveControl(path, {
    greet: async ({ name }) => ({ hello: name }),
    refuse: async () => {
      throw new MishapError('VALIDATION', { fields: { email: ['E-mail is not valid.'] } })
    },
    busy: async () => {
      throw new MishapError('BACKUP_RUNNING', { detail: 'To x.tar.' })
    },
    break: async () => {
      throw new Error('boom')
    },
  })
  expect(await giveCommand(path, 'greet', { name: 'Ada' })).toEqual({ hello: 'Ada' })
  await expect(giveCommand(path, 'refuse', {})).rejects.toThrow('E-mail is not valid.')
  await expect(giveCommand(path, 'busy', {})).rejects.toMatchObject({ code: 'BACKUP_RUNNING', message: 'To x.tar.' })
  await expect(giveCommand(path, 'break', {})).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('boom'),
  })
  for (const name of ['nothing', '', 'toString', '__proto__', 'greet/x'])
    await expect(giveCommand(path, name, { name: 'x' })).rejects.toThrow('No such command')
  await new Promise((resolve) => server.close(resolve))
})

test('the data folder is for its owner only, and sockets of a folder with a long path lie elsewhere', () => {
  const data = mkdtempSync(join(tmpdir(), 'mishap-folders-'))
  const short = layOut(join(data, 'd'))
  expect(short.sockets.app.startsWith(data)).toBe(true)
  expect(statSync(short.folders.journal).mode & 0o777).toBe(0o700)
  const long = layOut(join(data, 'x'.repeat(120)))
  expect(long.sockets.app.length).toBeLessThan(100)
  expect(layOut(join(data, 'x'.repeat(120)))).toEqual(long)
})

test('folders that came from a copy are closed to others', () => {
  const data = mkdtempSync(join(tmpdir(), 'mishap-folders-'))
  for (const name of ['journal', 'blobs', 'meta']) mkdirSync(join(data, name), { mode: 0o755 })
  const { folders } = layOut(data)
  for (const folder of Object.values(folders)) expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test.runIf(process.getuid?.() === 0)('the folder of the sockets is not taken from another user', () => {
  const data = mkdtempSync(join(tmpdir(), 'mishap-folders-'))
  mkdirSync(join(data, 'run'))
  chownSync(join(data, 'run'), 12_345, 12_345)
  expect(() => layOut(data)).toThrow('belongs to another user')
})
