# A Ruby program that sends items with the official SDK.
require "sentry-ruby"

client = ENV.fetch("CLIENT")

def inner
  raise IndexError, "inner failure"
end

Sentry.init do |config|
  config.dsn = ENV.fetch("DSN")
  config.release = "clients@1.0.0"
  config.traces_sample_rate = 1.0
  config.background_worker_threads = 0
end
Sentry.set_user(id: "u-7")
Sentry.set_tags(client: client)
Sentry.add_breadcrumb(Sentry::Breadcrumb.new(category: "cart", message: "added to cart"))
begin
  raise ArgumentError, "plain failure"
rescue ArgumentError => e
  Sentry.capture_exception(e)
end
begin
  begin
    inner
  rescue IndexError
    raise "outer failure"
  end
rescue RuntimeError => e
  Sentry.capture_exception(e)
end
Sentry.capture_message("hello from #{client}")
Sentry.with_session_tracking { nil }
Sentry.start_transaction(name: "checkout", op: "task").finish
Sentry.session_flusher&.flush
