import { sentryWebpackPlugin } from '@sentry/bundler-plugins/webpack'

export default {
  mode: 'production',
  entry: './main.js',
  devtool: 'hidden-source-map',
  plugins: [
    sentryWebpackPlugin({
      telemetry: false,
      release: { setCommits: false },
      sourcemaps: { filesToDeleteAfterUpload: 'dist/**/*.map' },
    }),
  ],
}
