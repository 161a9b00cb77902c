//! A Rust program that sends items with the official SDK.
use sentry::protocol::{Breadcrumb, Envelope, MonitorCheckIn, MonitorCheckInStatus, User};
use std::time::Duration;

#[derive(Debug)]
struct Failure(&'static str, Option<Box<Failure>>);

impl std::fmt::Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.0)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.1.as_deref().map(|cause| cause as _)
    }
}

fn main() {
    let client = std::env::var("CLIENT").expect("CLIENT");
    let guard = sentry::init(
        sentry::ClientOptions::new()
            .dsn(&std::env::var("DSN").expect("DSN"))
            .release("clients@1.0.0")
            .traces_sample_rate(1.0)
            .auto_session_tracking(true),
    );
    sentry::start_session();
    sentry::configure_scope(|scope| {
        scope.set_user(Some(User { id: Some("u-7".into()), ..Default::default() }));
        scope.set_tag("client", &client);
    });
    sentry::add_breadcrumb(Breadcrumb {
        category: Some("cart".into()),
        message: Some("added to cart".into()),
        ..Default::default()
    });
    sentry::capture_error(&Failure("plain failure", None));
    sentry::capture_error(&Failure("outer failure", Some(Box::new(Failure("inner failure", None)))));
    sentry::capture_message(&format!("hello from {client}"), sentry::Level::Info);
    sentry::start_transaction(sentry::TransactionContext::new("checkout", "task")).finish();
    sentry::logger_info!("cart is empty");
    let mut envelope = Envelope::new();
    envelope.add_item(MonitorCheckIn {
        check_in_id: sentry::types::random_uuid(),
        monitor_slug: "nightly".into(),
        status: MonitorCheckInStatus::Ok,
        environment: None,
        duration: None,
        monitor_config: None,
    });
    guard.send_envelope(envelope);
    sentry::end_session();
    assert!(guard.flush(Some(Duration::from_secs(5))));
}
