import { expect, test } from 'vitest'
import type { RestOverview } from '../contract/overview.ts'
import { appForFile } from './app.cases.ts'

const { made, call } = appForFile()
const overview = async (query = '') =>
  (await call('GET', `/organizations/acme/overview/?${query}`)).json as RestOverview

test('probe', async () => {
  console.log(JSON.stringify(await overview()), made().project.slug)
  expect(1).toBe(1)
})
