import { z } from 'zod'
import { loaderOptionNames } from '../domain/loader-options.ts'
import type { Tunnel } from '../wire/tunnel.ts'
import { nameText } from './projects.ts'
import { revisionField, time } from './scalars.ts'

const copied = z.strictObject({ where: z.string(), code: z.string() })
/** projects/{org}/{project}/keys/{key}/tunnel/: the unchanged result of wire/tunnel.ts. */
export const restTunnel = z
  .strictObject({
    path: z.string(),
    dsn: z.string(),
    client: copied,
    servers: z.strictObject({ nextjs: copied, express: copied, nginx: copied }),
  })
  .meta({ id: 'Tunnel' }) satisfies z.ZodType<Tunnel>

const loaderOptions = z.record(z.enum(loaderOptionNames), z.boolean())
export type RestLoaderOptions = z.infer<typeof loaderOptions>

/** projects/{org}/{project}/keys/ */
export const restKey = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    label: z.string(),
    public: z.string(),
    secret: z.string(),
    projectId: z.int(),
    isActive: z.boolean(),
    /** At most `count` items in `window` seconds. */
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
      otlp_metrics: z.string(),
      integration: z.string(),
    }),
    browserSdkVersion: z.string(),
    dynamicSdkLoaderOptions: loaderOptions,
  })
  .meta({ id: 'Key' })
export type RestKey = z.infer<typeof restKey>

const rateLimit = z
  .object({ window: z.number().int().min(1).max(86_400), count: z.number().int().min(1).max(1_000_000_000) })
  .nullable()
export type RateLimitBody = z.output<typeof rateLimit>

/** Body of a new key. */
export const newKeyBody = z
  .object({
    name: nameText,
    label: nameText,
    rateLimit,
    browserSdkVersion: z.string().regex(/^(latest|\d{1,3}(\.(\d{1,4}|x)){1,2})$/, 'latest, or a version as 10.x.'),
    dynamicSdkLoaderOptions: z.partialRecord(z.enum(loaderOptionNames), z.boolean()),
  })
  .partial()

/** Body to change a key. */
export const keyChangeBody = newKeyBody.extend({
  isActive: z.boolean().optional(),
  revision: revisionField.optional(),
})
export type KeyChangeBody = z.output<typeof keyChangeBody>
