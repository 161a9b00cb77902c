import { z } from 'zod'
import type { Tunnel } from '../wire/tunnel.ts'
import { loaderOptionNames, type RestKey } from './rest-key.ts'

/** Shapes of project keys, as in schemas.ts. */

const time = z.iso.datetime()
const copied = z.strictObject({ where: z.string(), code: z.string() })
export const tunnel = z
  .strictObject({
    path: z.string(),
    dsn: z.string(),
    client: copied,
    servers: z.strictObject({ nextjs: copied, express: copied, nginx: copied }),
  })
  .meta({ id: 'Tunnel' }) satisfies z.ZodType<Tunnel>

export const key = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    label: z.string(),
    public: z.string(),
    secret: z.string(),
    projectId: z.int(),
    isActive: z.boolean(),
    rateLimit: z.strictObject({ window: z.int(), count: z.int() }).nullable(),
    revision: z.int(),
    dateCreated: time,
    lastUsed: time.nullable(),
    dsn: z.strictObject({
      public: z.string(),
      secret: z.string(),
      csp: z.string(),
      security: z.string(),
      minidump: z.string(),
      nel: z.string(),
      unreal: z.string(),
      playstation: z.string(),
      crons: z.string(),
      cdn: z.string(),
      otlp_traces: z.string(),
      otlp_logs: z.string(),
      integration: z.string(),
    }),
    browserSdkVersion: z.string(),
    dynamicSdkLoaderOptions: z.record(z.enum(loaderOptionNames), z.boolean()),
  })
  .meta({ id: 'Key' }) satisfies z.ZodType<RestKey>
