import type { TestProject } from 'vitest/node'
import { discard, ready, start } from './product.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The shared product of the suite. Each file creates its own organization. */
    product: { url: string; data: string; port: number }
  }
}

/** Starts the product once for all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Tests look at the traces of many pages within a minute.
  const product = await start({ env: { MISHAP_SELF_TRACES_PER_MINUTE: '1000000' } })
  // Without a stop here, a product that starts too late keeps running after the tests and slows the next ones. A start
  // takes 3 s alone and 40 s on two cores at a load of 25.
  await ready(product, 90_000).catch(async (error) => {
    await discard(product)
    throw error
  })
  project.provide('product', { url: product.url, data: product.data, port: product.port })
  return () => discard(product)
}
