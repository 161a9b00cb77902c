import { expect, test } from 'vitest'
import { blobCredentials, blobsOf } from './blobs-config.ts'
import { readConfig } from './config.ts'

const keys = 'accessKeyId=K&secretAccessKey=a+b/c='
const aws = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S' }

test.each([
  [
    `s3://mishap/blobs?endpoint=http://127.0.0.1:9000&${keys}`,
    { bucket: 'mishap', prefix: 'blobs', endpoint: 'http://127.0.0.1:9000', region: 'us-east-1' },
  ],
  [
    's3://my.bucket-1?region=eu-central-1',
    { bucket: 'my.bucket-1', prefix: '', endpoint: 'https://s3.eu-central-1.amazonaws.com' },
  ],
  ['s3://mishap/a/b_c/?endpoint=https://s3.example/', { prefix: 'a/b_c', endpoint: 'https://s3.example' }],
])('%s is the place', (text, place) => {
  expect(blobsOf(text)?.place).toMatchObject(place)
})

test.each([
  'files',
  's3://?prefix',
  's3:///prefix',
  's3://UPPER/x',
  's3://mishap/../x',
  's3://mishap/a b',
  's3://mishap/a~',
  's3://mishap?endpoint=ftp://x',
  's3://mishap?endpoint=http://user:secret@x',
  's3://mishap?endpoint=http://x/path',
  's3://mishap?region=a b',
  's3://mishap?accessKeyId=K',
  's3://mishap?secretAccessKey=S',
  's3://mishap?acessKeyId=K&secretAccessKey=S',
])('%s is refused, and the message shows no value', (text) => {
  expect(blobsOf(text)).toBeUndefined()
  const read = readConfig({}, { MISHAP_BLOBS: text, ...aws })
  expect(read).toMatchObject({ error: { code: 'CONFIG_BLOBS' } })
  expect('error' in read && read.error.sentence).not.toContain(text)
})

test('the keys are those of the setting, else those of AWS; they are not part of the config', () => {
  const MISHAP_BLOBS = `s3://mishap/blobs?${keys}&sessionToken=T`
  expect(blobCredentials({ MISHAP_BLOBS, ...aws })).toEqual({
    accessKeyId: 'K',
    secretAccessKey: 'a+b/c=',
    sessionToken: 'T',
  })
  expect(blobCredentials({ MISHAP_BLOBS: 's3://mishap', ...aws })).toEqual({ accessKeyId: 'A', secretAccessKey: 'S' })
  expect(blobCredentials({ MISHAP_BLOBS: 's3://mishap', AWS_ACCESS_KEY_ID: 'A' })).toBeUndefined()
  const read = readConfig({}, { MISHAP_BLOBS })
  expect(JSON.stringify(read)).not.toContain('a+b')
  expect(readConfig({}, { MISHAP_BLOBS: 's3://mishap' })).toMatchObject({ error: { code: 'CONFIG_BLOBS' } })
  expect(readConfig({}, {})).toMatchObject({ config: { blobs: undefined } })
})
