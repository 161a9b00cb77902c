import { firstError, type PlatformSetup, type SnippetPart } from './snippet.ts'

/** The release by an environment variable, which the SDKs of servers read. */
const release: readonly SnippetPart[] = [
  { where: 'environment', code: 'SENTRY_RELEASE=' },
  {
    where: 'shell',
    code: `export SENTRY_URL=__URL__ SENTRY_ORG=__ORG__ SENTRY_PROJECT=__PROJECT__ SENTRY_AUTH_TOKEN=
npx @sentry/cli releases new "$(git rev-parse HEAD)"
npx @sentry/cli releases finalize "$(git rev-parse HEAD)"`,
  },
]
const shared = { readable: 'release', release } as const

const python = (where: string): SnippetPart => ({
  where,
  code: `import sentry_sdk

sentry_sdk.init(
    dsn="__DSN__",
    environment="production",
    # The share of traces that are sent.
    traces_sample_rate=1.0,
)`,
})
const pip = (pack: string): SnippetPart => ({ where: 'shell', code: `pip install "${pack}"` })
const raised = `raise RuntimeError("${firstError}")`

const gems: SnippetPart = { where: 'shell', code: 'bundle add sentry-ruby' }
const rubyInit = `Sentry.init do |config|
  config.dsn = "__DSN__"
  config.environment = "production"
  # The share of traces that are sent.
  config.traces_sample_rate = 1.0
end`

const goInit = `err := sentry.Init(sentry.ClientOptions{
	Dsn:         "__DSN__",
	Environment: "production",
	// The share of traces that are sent.
	EnableTracing:    true,
	TracesSampleRate: 1.0,
})
if err != nil {
	log.Fatal(err)
}`

export const serverSetups: readonly PlatformSetup[] = [
  {
    ...shared,
    id: 'python',
    install: pip('sentry-sdk'),
    files: [python('main.py')],
    test: { where: 'main.py', code: raised },
  },
  {
    ...shared,
    id: 'python-django',
    install: pip('sentry-sdk[django]'),
    files: [python('settings.py')],
    test: { where: 'urls.py', code: `def broken(request):\n    ${raised}\n\nurlpatterns = [path("broken/", broken)]` },
  },
  {
    ...shared,
    id: 'python-flask',
    install: pip('sentry-sdk[flask]'),
    files: [python('app.py')],
    test: { where: 'app.py', code: `@app.route("/broken")\ndef broken():\n    ${raised}` },
  },
  {
    ...shared,
    id: 'python-fastapi',
    install: pip('sentry-sdk[fastapi]'),
    files: [python('main.py')],
    test: { where: 'main.py', code: `@app.get("/broken")\nasync def broken():\n    ${raised}` },
  },
  {
    ...shared,
    id: 'python-celery',
    install: pip('sentry-sdk[celery]'),
    files: [
      {
        where: 'tasks.py',
        code: `import sentry_sdk
from celery import Celery, signals

app = Celery("tasks")

# Each worker process starts its own client.
@signals.celeryd_init.connect
def init_sentry(**_kwargs):
    sentry_sdk.init(dsn="__DSN__", environment="production", traces_sample_rate=1.0)`,
      },
    ],
    test: { where: 'tasks.py', code: `@app.task\ndef broken():\n    ${raised}` },
  },
  {
    ...shared,
    id: 'ruby',
    install: gems,
    files: [{ where: 'main.rb', code: `require "sentry-ruby"\n\n${rubyInit}` }],
    test: {
      where: 'main.rb',
      code: `begin\n  raise "${firstError}"\nrescue => error\n  Sentry.capture_exception(error)\nend`,
    },
  },
  {
    ...shared,
    id: 'ruby-rails',
    install: { where: 'shell', code: 'bundle add sentry-ruby sentry-rails' },
    files: [{ where: 'config/initializers/sentry.rb', code: rubyInit }],
    test: {
      where: 'app/controllers/broken_controller.rb',
      code: `class BrokenController < ApplicationController\n  def show\n    raise "${firstError}"\n  end\nend`,
    },
  },
  {
    ...shared,
    id: 'php',
    install: { where: 'shell', code: 'composer require sentry/sentry' },
    files: [
      {
        where: 'index.php',
        code: `require __DIR__ . '/vendor/autoload.php';

\\Sentry\\init([
    'dsn' => '__DSN__',
    'environment' => 'production',
    // The share of traces that are sent.
    'traces_sample_rate' => 1.0,
]);`,
      },
    ],
    test: { where: 'index.php', code: `throw new Exception('${firstError}');` },
  },
  {
    ...shared,
    id: 'php-laravel',
    install: { where: 'shell', code: 'composer require sentry/sentry-laravel' },
    files: [
      {
        where: 'bootstrap/app.php',
        code: `use Sentry\\Laravel\\Integration;

->withExceptions(function (Exceptions $exceptions) {
    Integration::handles($exceptions);
})`,
      },
      { where: '.env', code: 'SENTRY_LARAVEL_DSN=__DSN__' },
    ],
    test: { where: 'shell', code: 'php artisan sentry:test' },
  },
  {
    ...shared,
    id: 'php-symfony',
    install: { where: 'shell', code: 'composer require sentry/sentry-symfony' },
    files: [
      { where: 'config/packages/sentry.yaml', code: "sentry:\n  dsn: '%env(SENTRY_DSN)%'" },
      { where: '.env', code: 'SENTRY_DSN=__DSN__' },
    ],
    test: {
      where: 'src/Controller/BrokenController.php',
      code: `#[Route('/broken')]\npublic function broken(): Response\n{\n    throw new \\RuntimeException('${firstError}');\n}`,
    },
  },
  {
    ...shared,
    id: 'go',
    install: { where: 'shell', code: 'go get github.com/getsentry/sentry-go' },
    files: [{ where: 'main.go', code: `${goInit}\ndefer sentry.Flush(2 * time.Second)` }],
    test: { where: 'main.go', code: `sentry.CaptureException(errors.New("${firstError}"))` },
  },
  {
    ...shared,
    id: 'go-gin',
    install: {
      where: 'shell',
      code: 'go get github.com/getsentry/sentry-go\ngo get github.com/getsentry/sentry-go/gin',
    },
    files: [
      {
        where: 'main.go',
        code: `${goInit}\n\napp := gin.Default()\napp.Use(sentrygin.New(sentrygin.Options{Repanic: true}))`,
      },
    ],
    test: { where: 'main.go', code: `app.GET("/broken", func(*gin.Context) {\n\tpanic("${firstError}")\n})` },
  },
  {
    ...shared,
    id: 'rust',
    install: { where: 'shell', code: 'cargo add sentry' },
    files: [
      {
        where: 'src/main.rs',
        code: `fn main() {
    let _guard = sentry::init(("__DSN__", sentry::ClientOptions {
        release: sentry::release_name!(),
        environment: Some("production".into()),
        ..Default::default()
    }));
}`,
      },
    ],
    test: { where: 'src/main.rs', code: `panic!("${firstError}");` },
  },
  {
    ...shared,
    id: 'elixir',
    install: {
      where: 'mix.exs',
      code: 'defp deps do\n  [{:sentry, "~> 11.0"}, {:jason, "~> 1.4"}, {:hackney, "~> 1.19"}]\nend',
    },
    files: [
      {
        where: 'config/prod.exs',
        code: `config :sentry,
  dsn: "__DSN__",
  environment_name: :prod,
  enable_source_code_context: true,
  root_source_code_paths: [File.cwd!()]`,
      },
      {
        where: 'lib/app/application.ex',
        code: `:logger.add_handler(:sentry_handler, Sentry.LoggerHandler, %{})`,
      },
    ],
    test: { where: 'shell', code: 'mix sentry.send_test_event' },
  },
]
