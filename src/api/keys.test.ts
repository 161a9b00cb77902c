import { describe, expect, test } from 'vitest'
import type { RestKey } from '../contract/keys.ts'
import { appForFile } from './app.cases.ts'

const { call } = appForFile()
const keys = '/projects/acme/web/keys/'

describe('project keys as clients read them', () => {
  test('a key has every form of its DSN, and says what the loader script would do', async () => {
    const [key] = (await call('GET', keys)).json as RestKey[]
    const id = key?.projectId
    const at = `http://mishap.test/api/${id}`
    expect(key?.dsn).toEqual({
      public: `http://${key?.public}@mishap.test/${id}`,
      secret: `http://${key?.public}@mishap.test/${id}`,
      csp: `${at}/csp-report/?sentry_key=${key?.public}`,
      security: `${at}/security/?sentry_key=${key?.public}`,
      minidump: `${at}/minidump/?sentry_key=${key?.public}`,
      nel: `${at}/nel/?sentry_key=${key?.public}`,
      unreal: `${at}/unreal/${key?.public}/`,
      playstation: `${at}/playstation/?sentry_key=${key?.public}`,
      crons: `${at}/cron/___MONITOR_SLUG___/${key?.public}/`,
      cdn: `http://mishap.test/js-sdk-loader/${key?.public}.min.js`,
      integration: `${at}/integration/`,
      otlp_traces: `${at}/integration/otlp/v1/traces`,
      otlp_logs: `${at}/integration/otlp/v1/logs`,
      otlp_metrics: `${at}/integration/otlp/v1/metrics`,
    })
    expect([key?.browserSdkVersion, key?.dynamicSdkLoaderOptions]).toEqual([
      'latest',
      { hasReplay: false, hasPerformance: false, hasDebug: false, hasFeedback: false, hasLogsAndMetrics: false },
    ])
  })

  test('options of the loader stay as a client set them, and what it did not name is kept', async () => {
    const body = { name: 'Terraform', browserSdkVersion: '10.x', dynamicSdkLoaderOptions: { hasReplay: true } }
    const made = await call('POST', keys, { body })
    const key = made.json as RestKey
    expect([made.status, key.browserSdkVersion]).toEqual([201, '10.x'])
    expect(key.dynamicSdkLoaderOptions).toMatchObject({ hasReplay: true, hasDebug: false })
    await call('PUT', `${keys}${key.id}/`, { body: { dynamicSdkLoaderOptions: { hasDebug: true } } })
    const now = (await call('GET', `${keys}${key.id}/`)).json as RestKey
    expect(now).toMatchObject({
      browserSdkVersion: '10.x',
      dynamicSdkLoaderOptions: { hasReplay: true, hasDebug: true, hasPerformance: false },
    })
  })

  test.each([
    [{ browserSdkVersion: 'newest' }, 'browserSdkVersion'],
    [{ dynamicSdkLoaderOptions: { hasReplay: 'yes' } }, 'dynamicSdkLoaderOptions'],
  ])('%j is refused at its field', async (body, field) => {
    const refused = await call('POST', keys, { body })
    expect([refused.status, Object.keys(refused.json)[0]?.split('.')[0]]).toEqual([400, field])
  })
})
