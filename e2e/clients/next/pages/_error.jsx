import * as Sentry from '@sentry/nextjs'

export default function ErrorPage() {
  return <p>failed</p>
}

ErrorPage.getInitialProps = async (context) => {
  await Sentry.captureUnderscoreErrorException(context)
  return {}
}
