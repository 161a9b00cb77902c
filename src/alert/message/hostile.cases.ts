/**
 * Event texts that attack the formats of messages. Every kind of channel is tested with this list: nothing is pinged, no
 * header is created, and no link leads elsewhere.
 */
export const hostileTexts: readonly { name: string; text: string }[] = [
  { name: 'markup', text: '<script>alert(1)</script><img src=x onerror=alert(1)><style>*{display:none}</style>' },
  { name: 'the end of an attribute', text: '"><a href="https://evil.test">sign in</a><b title=\'' },
  { name: 'an entity', text: '&lt;b&gt; &#60;b&#62; &amp;lt;' },
  { name: 'a Markdown link', text: '[sign in](https://evil.test) ![x](https://evil.test/x.png) <https://evil.test>' },
  { name: 'Markdown marks', text: '# h *b* __u__ ~~s~~ `c` ```\nblock\n``` ||spoiler|| > q' },
  { name: 'a link of Slack', text: '<https://evil.test|WEB-7: sign in> <mailto:x@evil.test|mail>' },
  { name: 'mentions of Slack', text: '<!here> <!channel> <!everyone> <@U012AB3CD> <#C012AB3CD> <!subteam^S012AB3CD>' },
  {
    name: 'mentions of Discord',
    text: '@everyone @here <@80351110224678912> <@&165511591545143296> <#103735883630395392>',
  },
  { name: 'mentions of other chats', text: '@channel @all @here @room @admin <at>everyone</at> <users/all>' },
  { name: 'a header', text: 'x\r\nBcc: victim@evil.test\r\nContent-Type: text/html\r\n\r\n<b>body</b>' },
  { name: 'bare line ends', text: 'a\rb\nc\u2028d\u2029e\u0085f\u0000g\u001b[31m' },
  { name: 'an encoded header word', text: '=?utf-8?B?DQpCY2M6IHZpY3RpbUBldmlsLnRlc3Q=?=' },
  { name: 'a formula', text: '=HYPERLINK("https://evil.test","x")' },
  { name: 'a formula with plus', text: '+1+1' },
  { name: 'a formula with minus', text: "-2+3+cmd|' /C calc'!A0" },
  { name: 'a formula with at', text: '@SUM(A1:A9)' },
  { name: 'a formula behind a tab', text: '\t=1+1' },
  { name: 'bidirectional marks', text: 'invoice\u202egnp.exe \u2066left\u2069 \u200fright \u061carabic' },
  { name: 'characters without width', text: 'a\u200bb\u2060c\ufeffd\u00ade <\u200b!here> @\u200beveryone' },
  { name: 'a very long text', text: `start ${'long '.repeat(20_000)}` },
  { name: 'a very long word', text: 'x'.repeat(50_000) },
  { name: 'emoji', text: '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(200) },
  { name: 'half a character', text: `a\ud83d b\udc00 ${'😀'.repeat(199)}` },
  { name: 'piled up accents', text: `z${'\u0301\u0322\u0335'.repeat(500)}` },
  { name: 'a script address', text: 'javascript:alert(1) data:text/html,<script>alert(1)</script>' },
  { name: 'placeholders', text: '{{7*7}} ${7*7} %s %n %(x)s $1 $& {0} :smile:' },
  { name: 'the end of a JSON text', text: '"},{"type":"button","url":"https://evil.test"}]\\' },
  { name: 'nothing', text: '' },
  { name: 'only marks', text: '\u202e\u200b\r\n' },
]
