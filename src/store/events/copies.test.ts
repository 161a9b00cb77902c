import { expect, test } from 'vitest'
import { destinationOn } from './copies.ts'

test.each([
  ["Disk('backups')", "Disk('backups', 'take-1')"],
  ["Disk('backups', 'mishap/')", "Disk('backups', 'mishap/take-1')"],
  ["S3('https://s3.example/bucket/', 'key', 'secret')", "S3('https://s3.example/bucket/take-1', 'key', 'secret')"],
  ["S3('https://s3.example/bucket')", "S3('https://s3.example/bucket/take-1')"],
])('each backup has its own place on %s', (target, destination) => {
  expect(destinationOn(target, 'take-1')).toBe(destination)
})
