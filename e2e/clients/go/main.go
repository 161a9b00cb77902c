// A Go program that sends items with the official SDK.
package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

type failure struct{ cause error }

func (f *failure) Error() string { return "outer failure" }
func (f *failure) Unwrap() error { return f.cause }

func main() {
	client := os.Getenv("CLIENT")
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              os.Getenv("DSN"),
		Release:          "clients@1.0.0",
		EnableTracing:    true,
		TracesSampleRate: 1,
		AttachStacktrace: true,
	})
	if err != nil {
		panic(err)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "u-7"})
		scope.SetTag("client", client)
	})
	sentry.AddBreadcrumb(&sentry.Breadcrumb{Category: "cart", Message: "added to cart"})
	sentry.CaptureException(errors.New("plain failure"))
	sentry.CaptureException(&failure{errors.New("inner failure")})
	sentry.CaptureMessage("hello from " + client)
	sentry.StartTransaction(context.Background(), "checkout").Finish()
	sentry.NewLogger(context.Background()).Info().Emit("cart is empty")
	sentry.CaptureCheckIn(&sentry.CheckIn{MonitorSlug: "nightly", Status: sentry.CheckInStatusOK}, nil)
	if !sentry.Flush(5 * time.Second) {
		os.Exit(1)
	}
}
