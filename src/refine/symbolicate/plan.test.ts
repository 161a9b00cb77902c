import { describe, expect, test } from 'vitest'
import { planOf } from './plan.ts'
import { type Uploaded, uploadsOf } from './rig.cases.ts'

const [idA, idB] = ['aaaaaaaa-0003-523c-92ab-92705ede040b', 'bbbbbbbb-0003-523c-92ab-92705ede040b']
const script = (more: Partial<Uploaded> = {}): Uploaded => ({
  url: '~/a.js',
  bytes: 'a()',
  headers: { sourcemap: 'a.js.map' },
  ...more,
})
const map = (more: Partial<Uploaded> = {}): Uploaded => ({ url: '~/a.js.map', bytes: '{}', ...more })

describe('the file of a frame', () => {
  test.each<[string, string | undefined, Uploaded[], string | undefined]>([
    ['by its debug id', idA, [script({ debugId: idA }), map({ debugId: idA })], 'debug-id'],
    ['by its address, without a debug id', undefined, [script(), map()], 'release'],
    ['by its address, where only the deployed file has a debug id', idA, [script(), map()], 'release'],
    ['by its address, where only the uploaded file has one', undefined, [script({ debugId: idB }), map()], 'release'],
    ['not one of another build at the same address', idA, [script({ debugId: idB }), map({ debugId: idB })], undefined],
  ])('%s', async (_name, debugId, uploads, resolvedWith) => {
    const { artifacts, blobs } = uploadsOf(uploads)
    const query = { debugId, url: 'https://shop.test/a.js', release: '1.0', dist: '' }
    expect((await planOf(7, query, artifacts, blobs))?.resolvedWith).toBe(resolvedWith)
  })

  test('a map that is named and was not uploaded is said by its address', async () => {
    const { artifacts, blobs } = uploadsOf([script()])
    const query = { debugId: undefined, url: 'https://shop.test/a.js?v=1', release: '1.0', dist: '' }
    const plan = await planOf(7, query, artifacts, blobs)
    expect(plan).toMatchObject({ reason: 'map_missing', named: 'https://shop.test/a.js.map', map: undefined })
  })
})
