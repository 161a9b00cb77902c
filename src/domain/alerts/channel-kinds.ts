/** The kinds of notification channels, in the order of the form. Each has a file in src/alert/send. */
export const channelKinds = [
  'email',
  'slack_app',
  'slack',
  'discord',
  'teams',
  'mattermost',
  'rocketchat',
  'google_chat',
  'telegram',
  'ntfy',
  'pagerduty',
  'opsgenie',
  'push',
  'webhook',
] as const
export type ChannelKind = (typeof channelKinds)[number]

/** `issues`: hears of new, regressed and escalating issues of its projects. `rules`: hears only of alert rules. */
export const channelSubscriptions = ['issues', 'rules'] as const
export type ChannelSubscription = (typeof channelSubscriptions)[number]

/** One field of the form of a kind. Its label and hint are texts of the screens. */
export type ChannelField = {
  name: string
  /** `secret`: stored sealed and never shown again. `url`: its path is a secret. `lines`: several lines of text. */
  type: 'text' | 'lines' | 'secret' | 'url' | 'choice'
  required: boolean
  /** Only whoever may manage members sets it: it decides as whom people act. */
  isManaged?: boolean
  /** Values of a choice; the first is the default. */
  choices?: readonly string[]
}

/** Values of the fields by name. Absent and empty values mean the same. */
export type ChannelConfig = Readonly<Record<string, string>>
