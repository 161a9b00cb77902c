import io.sentry.Breadcrumb;
import io.sentry.CheckIn;
import io.sentry.CheckInStatus;
import io.sentry.Sentry;
import io.sentry.protocol.User;

/** A Java program that sends items with the official SDK. */
final class Main {
  static void inner() {
    throw new IllegalArgumentException("inner failure");
  }

  public static void main(String[] words) {
    String client = System.getenv("CLIENT");
    Sentry.init(options -> {
      options.setDsn(System.getenv("DSN"));
      options.setRelease("clients@1.0.0");
      options.setTracesSampleRate(1.0);
      options.getLogs().setEnabled(true);
      options.setShutdownTimeoutMillis(5000);
    });
    Sentry.startSession();
    Sentry.configureScope(scope -> {
      User user = new User();
      user.setId("u-7");
      scope.setUser(user);
      scope.setTag("client", client);
      Breadcrumb breadcrumb = new Breadcrumb("added to cart");
      breadcrumb.setCategory("cart");
      scope.addBreadcrumb(breadcrumb);
    });
    Sentry.captureException(new IllegalStateException("plain failure"));
    try {
      inner();
    } catch (IllegalArgumentException cause) {
      Sentry.captureException(new RuntimeException("outer failure", cause));
    }
    Sentry.captureMessage("hello from " + client);
    Sentry.startTransaction("checkout", "task").finish();
    Sentry.logger().info("cart is empty");
    Sentry.captureCheckIn(new CheckIn("nightly", CheckInStatus.OK));
    Sentry.endSession();
    Sentry.flush(5000);
    Sentry.close();
  }
}
