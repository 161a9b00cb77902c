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
  await ready(product)
  project.provide('product', { url: product.url, data: product.data, port: product.port })
  return () => discard(product)
}
