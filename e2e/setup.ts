import type { TestProject } from 'vitest/node'
import { discard, ready, start } from './product.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The one product of the suite; each file makes an organization of its own. */
    product: { url: string; data: string; port: number }
  }
}

/** Starts the product once for all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const product = await start()
  await ready(product)
  project.provide('product', { url: product.url, data: product.data, port: product.port })
  return () => discard(product)
}
