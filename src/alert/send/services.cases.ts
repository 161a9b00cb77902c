import type { ChannelConfig, ChannelKind } from '../../domain/alerts/channel-kinds.ts'

/** One documented answer of a service, and what Mishap makes of it. */
type ServiceAnswer = {
  says: string
  status: number
  headers?: Record<string, string>
  body: string
  /** The sentence of a refusal; undefined: the message was taken. */
  refused?: string
  /** The pause that the service asks for. */
  pauseMs?: number
}

/** A service as its documentation describes it. */
type Service = {
  kind: ChannelKind
  docs: string
  config: ChannelConfig
  /** Origin that the product calls; requests go to the local server instead. */
  origin: string
  path: string
  headers?: Record<string, string>
  /** A part of the body of a message about one issue. */
  body: object
  answers: ServiceAnswer[]
}

const json = { 'content-type': 'application/json' }
const text = { 'content-type': 'text/plain' }

export const services: readonly Service[] = [
  {
    kind: 'slack',
    docs: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
    config: { target: 'https://hooks.slack.com/services/T0/B0/x' },
    origin: 'https://hooks.slack.com',
    path: '/services/T0/B0/x',
    body: { text: 'New issue WEB-7: TypeError: x is not a function' },
    answers: [
      { says: 'taken', status: 200, headers: text, body: 'ok' },
      { says: 'gone', status: 404, headers: text, body: 'no_service', refused: 'The service answered 404: no_service' },
      {
        says: 'archived',
        status: 410,
        headers: text,
        body: 'channel_is_archived',
        refused: 'The service answered 410: channel_is_archived',
      },
      {
        says: 'too fast',
        status: 429,
        headers: { ...text, 'retry-after': '30' },
        body: '',
        refused: 'The service answered 429.',
        pauseMs: 30_000,
      },
    ],
  },
  {
    kind: 'slack_app',
    docs: 'https://docs.slack.dev/reference/methods/chat.postMessage',
    config: { token: 'xoxb-1234567890-abc', signing: '0'.repeat(32), target: 'C012AB3CD' },
    origin: 'https://slack.com',
    path: '/api/chat.postMessage',
    headers: { authorization: 'Bearer xoxb-1234567890-abc', 'content-type': 'application/json; charset=utf-8' },
    body: { channel: 'C012AB3CD', unfurl_links: false, unfurl_media: false },
    answers: [
      { says: 'taken', status: 200, headers: json, body: '{"ok":true,"channel":"C012AB3CD","ts":"1503435956.000247"}' },
      {
        says: 'unknown channel',
        status: 200,
        headers: json,
        body: '{"ok":false,"error":"channel_not_found"}',
        refused: 'The service answered 200: channel_not_found',
      },
      {
        says: 'token taken back',
        status: 200,
        headers: json,
        body: '{"ok":false,"error":"token_revoked"}',
        refused: 'The service answered 200: token_revoked',
      },
      {
        says: 'too fast',
        status: 429,
        headers: { ...json, 'retry-after': '12' },
        body: '{"ok":false,"error":"ratelimited"}',
        refused: 'The service answered 429: ratelimited',
        pauseMs: 12_000,
      },
    ],
  },
  {
    kind: 'discord',
    docs: 'https://discord.com/developers/docs/topics/rate-limits',
    config: { target: 'https://discord.com/api/webhooks/1/x' },
    origin: 'https://discord.com',
    path: '/api/webhooks/1/x?wait=true',
    body: { allowed_mentions: { parse: [] } },
    answers: [
      { says: 'taken', status: 200, headers: { ...json, 'x-ratelimit-remaining': '4' }, body: '{"id":"1","type":0}' },
      {
        says: 'the last of its bucket',
        status: 200,
        headers: { ...json, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' },
        body: '{"id":"1"}',
        pauseMs: 1500,
      },
      {
        says: 'deleted',
        status: 404,
        headers: json,
        body: '{"message": "Unknown Webhook", "code": 10015}',
        refused: 'The service answered 404: {"message": "Unknown Webhook", "code": 10015}',
      },
      {
        says: 'too fast',
        status: 429,
        headers: json,
        body: '{"message":"You are being rate limited.","retry_after":64.57,"global":false}',
        refused:
          'The service answered 429: {"message":"You are being rate limited.","retry_after":64.57,"global":false}',
        pauseMs: 64_570,
      },
    ],
  },
  {
    kind: 'teams',
    docs: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using',
    config: { target: 'https://prod-1.westeurope.logic.azure.com/workflows/x/triggers/manual/paths/invoke?sig=y' },
    origin: 'https://prod-1.westeurope.logic.azure.com',
    path: '/workflows/x/triggers/manual/paths/invoke?sig=y',
    body: {
      type: 'message',
      attachments: [
        { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', version: '1.4' } },
      ],
    },
    answers: [
      { says: 'taken', status: 202, body: '' },
      {
        says: 'switched off',
        status: 400,
        headers: json,
        body: '{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"Could not execute workflow."}}',
        refused:
          'The service answered 400: {"error":{"code":"WorkflowTriggerIsNotEnabled","message":"Could not execute workflow."}}',
      },
      {
        says: 'too fast',
        status: 429,
        headers: { ...json, 'retry-after': '2' },
        body: '{}',
        refused: 'The service answered 429: {}',
        pauseMs: 2000,
      },
    ],
  },
  {
    kind: 'mattermost',
    docs: 'https://developers.mattermost.com/integrate/webhooks/incoming/',
    config: { target: 'https://chat.example/hooks/x' },
    origin: 'https://chat.example',
    path: '/hooks/x',
    body: {
      text: startingWith('**[New issue WEB-7: TypeError: x is not a function](https://m.test/o/acme/issues/7)**'),
    },
    answers: [
      { says: 'taken', status: 200, headers: text, body: 'ok' },
      {
        says: 'unknown',
        status: 400,
        headers: json,
        body: '{"id":"web.incoming_webhook.invalid.app_error","message":"Invalid webhook.","status_code":400}',
        refused:
          'The service answered 400: {"id":"web.incoming_webhook.invalid.app_error","message":"Invalid webhook.","status_code":400}',
      },
    ],
  },
  {
    kind: 'rocketchat',
    docs: 'https://docs.rocket.chat/docs/integrations',
    config: { target: 'https://rocket.example/hooks/1/x' },
    origin: 'https://rocket.example',
    path: '/hooks/1/x',
    body: { text: 'New issue WEB-7: TypeError: x is not a function' },
    answers: [
      { says: 'taken', status: 200, headers: json, body: '{"success":true}' },
      {
        says: 'a script that fails',
        status: 200,
        headers: json,
        body: '{"success":false,"error":"no-channel"}',
        refused: 'The service answered 200: {"success":false,"error":"no-channel"}',
      },
      {
        says: 'unknown',
        status: 400,
        headers: json,
        body: '{"success":false,"error":"Invalid integration id or token provided."}',
        refused: 'The service answered 400: {"success":false,"error":"Invalid integration id or token provided."}',
      },
    ],
  },
  {
    kind: 'google_chat',
    docs: 'https://developers.google.com/workspace/chat/limits',
    config: { target: 'https://chat.googleapis.com/v1/spaces/S/messages?key=k&token=t' },
    origin: 'https://chat.googleapis.com',
    path: '/v1/spaces/S/messages?key=k&token=t',
    body: { text: 'New issue WEB-7: TypeError: x is not a function', cardsV2: [{ cardId: 'delivery-9' }] },
    answers: [
      { says: 'taken', status: 200, headers: json, body: '{"name":"spaces/S/messages/1"}', pauseMs: 1000 },
      {
        says: 'refused',
        status: 403,
        headers: json,
        body: '{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}',
        refused: 'The service answered 403: The caller does not have permission',
      },
      {
        says: 'too fast',
        status: 429,
        headers: json,
        body: '{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}',
        refused: 'The service answered 429: Resource has been exhausted',
        pauseMs: 1000,
      },
    ],
  },
  {
    kind: 'telegram',
    docs: 'https://core.telegram.org/bots/api#making-requests',
    config: { token: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11', target: '-1001234567890', thread: '7' },
    origin: 'https://api.telegram.org',
    path: '/bot123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/sendMessage',
    body: {
      chat_id: '-1001234567890',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      message_thread_id: 7,
    },
    answers: [
      { says: 'taken', status: 200, headers: json, body: '{"ok":true,"result":{"message_id":5}}' },
      {
        says: 'unknown chat',
        status: 400,
        headers: json,
        body: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
        refused: 'The service answered 400: Bad Request: chat not found',
      },
      {
        says: 'too fast',
        status: 429,
        headers: json,
        body: '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 14","parameters":{"retry_after":14}}',
        refused: 'The service answered 429: Too Many Requests: retry after 14',
        pauseMs: 14_000,
      },
    ],
  },
  {
    kind: 'ntfy',
    docs: 'https://docs.ntfy.sh/publish/#publish-as-json',
    config: { target: 'https://ntfy.sh/my-topic', token: 'tk_abc' },
    origin: 'https://ntfy.sh',
    path: '/',
    headers: { authorization: 'Bearer tk_abc' },
    body: {
      topic: 'my-topic',
      title: 'New issue WEB-7: TypeError: x is not a function',
      priority: 4,
      click: 'https://m.test/o/acme/issues/7',
    },
    answers: [
      { says: 'taken', status: 200, headers: json, body: '{"id":"a","time":1,"event":"message","topic":"my-topic"}' },
      {
        says: 'refused',
        status: 403,
        headers: json,
        body: '{"code":40301,"http":403,"error":"forbidden"}',
        refused: 'The service answered 403: forbidden',
      },
      {
        says: 'too fast',
        status: 429,
        headers: json,
        body: '{"code":42901,"http":429,"error":"limit reached: too many requests"}',
        refused: 'The service answered 429: limit reached: too many requests',
      },
    ],
  },
  {
    kind: 'pagerduty',
    docs: 'https://developer.pagerduty.com/docs/events-api-v2/overview/',
    config: { key: 'a'.repeat(32), region: 'eu' },
    origin: 'https://events.eu.pagerduty.com',
    path: '/v2/enqueue',
    body: {
      routing_key: 'a'.repeat(32),
      event_action: 'trigger',
      dedup_key: 'mishap-m.test-issue-7',
      payload: { summary: 'New issue WEB-7: TypeError: x is not a function', source: 'm.test', severity: 'warning' },
    },
    answers: [
      {
        says: 'taken',
        status: 202,
        headers: json,
        body: '{"status":"success","message":"Event processed","dedup_key":"mishap-m.test-issue-7"}',
      },
      {
        says: 'invalid',
        status: 400,
        headers: json,
        body: '{"status":"invalid event","message":"Event object is invalid","errors":["Length of \'routing_key\' is incorrect"]}',
        refused:
          'The service answered 400: {"status":"invalid event","message":"Event object is invalid","errors":["Length of \'routing_key\' is incorrect"]}',
      },
      {
        says: 'too fast',
        status: 429,
        headers: { ...json, 'retry-after': '60' },
        body: '',
        refused: 'The service answered 429.',
        pauseMs: 60_000,
      },
    ],
  },
  {
    kind: 'opsgenie',
    docs: 'https://docs.opsgenie.com/docs/api-rate-limiting',
    config: { key: '6d8d3b2a-1111-2222-3333-444455556666', region: 'us' },
    origin: 'https://api.opsgenie.com',
    path: '/v2/alerts',
    headers: { authorization: 'GenieKey 6d8d3b2a-1111-2222-3333-444455556666' },
    body: {
      message: 'New issue WEB-7: TypeError: x is not a function',
      alias: 'mishap-m.test-issue-7',
      priority: 'P3',
    },
    answers: [
      {
        says: 'taken',
        status: 202,
        headers: json,
        body: '{"result":"Request will be processed","took":0.302,"requestId":"43a29c5c"}',
      },
      {
        says: 'refused',
        status: 422,
        headers: json,
        body: '{"message":"Key format is not valid!","took":0.01,"requestId":"1"}',
        refused: 'The service answered 422: Key format is not valid!',
      },
      {
        says: 'too fast',
        status: 429,
        headers: { ...json, 'x-ratelimit-state': 'THROTTLED', 'x-ratelimit-period-in-sec': '60' },
        body: '{"message":"You are making too many requests!"}',
        refused: 'The service answered 429: {"message":"You are making too many requests!"}',
        pauseMs: 60_000,
      },
    ],
  },
]

/** Matches a text that begins so. */
function startingWith(start: string) {
  return {
    asymmetricMatch: (value: unknown) => typeof value === 'string' && value.startsWith(start),
    toString: () => start,
  }
}
