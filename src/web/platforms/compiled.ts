import { firstError, type PlatformSetup, type SnippetPart } from './snippet.ts'

const environmentRelease: readonly SnippetPart[] = [{ where: 'environment', code: 'SENTRY_RELEASE=' }]
const server = { readable: 'release', release: environmentRelease } as const

const gradle = (artifact: string): SnippetPart => ({
  where: 'build.gradle',
  code: `dependencies {\n    implementation platform('io.sentry:sentry-bom:8.+')\n    implementation '${artifact}'\n}`,
})
const dotnet = `options.Dsn = "__DSN__";
    options.Environment = "production";`

export const compiledSetups: readonly PlatformSetup[] = [
  {
    ...server,
    id: 'java',
    install: gradle('io.sentry:sentry'),
    files: [
      {
        where: 'src/main/java/Main.java',
        code: `import io.sentry.Sentry;

public class Main {
    public static void main(String[] args) {
        Sentry.init(options -> {
            options.setDsn("__DSN__");
            options.setEnvironment("production");
        });
    }
}`,
      },
    ],
    test: { where: 'src/main/java/Main.java', code: `throw new RuntimeException("${firstError}");` },
  },
  {
    ...server,
    id: 'java-spring-boot',
    install: gradle('io.sentry:sentry-spring-boot-starter-jakarta'),
    files: [
      {
        where: 'src/main/resources/application.properties',
        code: 'sentry.dsn=__DSN__\nsentry.environment=production',
      },
    ],
    test: {
      where: 'src/main/java/BrokenController.java',
      code: `@GetMapping("/broken")\nString broken() {\n    throw new RuntimeException("${firstError}");\n}`,
    },
  },
  {
    ...server,
    id: 'kotlin',
    install: gradle('io.sentry:sentry'),
    files: [
      {
        where: 'src/main/kotlin/Main.kt',
        code: `import io.sentry.Sentry

fun main() {
    Sentry.init { options ->
        options.dsn = "__DSN__"
        options.environment = "production"
    }
}`,
      },
    ],
    test: { where: 'src/main/kotlin/Main.kt', code: `throw RuntimeException("${firstError}")` },
  },
  {
    ...server,
    id: 'csharp',
    install: { where: 'shell', code: 'dotnet add package Sentry' },
    files: [
      {
        where: 'Program.cs',
        code: `using Sentry;

SentrySdk.Init(options =>
{
    ${dotnet}
    options.IsGlobalModeEnabled = true;
});`,
      },
    ],
    test: { where: 'Program.cs', code: `throw new Exception("${firstError}");` },
  },
  {
    ...server,
    id: 'dotnet-aspnetcore',
    install: { where: 'shell', code: 'dotnet add package Sentry.AspNetCore' },
    files: [
      {
        where: 'Program.cs',
        code: `var builder = WebApplication.CreateBuilder(args);

builder.WebHost.UseSentry(options =>
{
    ${dotnet}
});`,
      },
    ],
    test: {
      where: 'Program.cs',
      code: `app.MapGet("/broken", () =>\n{\n    throw new Exception("${firstError}");\n});`,
    },
  },
  {
    id: 'android',
    readable: 'native',
    install: {
      where: 'app/build.gradle.kts',
      code: 'dependencies {\n    implementation("io.sentry:sentry-android:8.+")\n}',
    },
    files: [
      {
        where: 'app/src/main/AndroidManifest.xml',
        code: `<application>
  <meta-data android:name="io.sentry.dsn" android:value="__DSN__" />
  <meta-data android:name="io.sentry.environment" android:value="production" />
</application>`,
      },
    ],
    release: [
      {
        where: 'app/src/main/AndroidManifest.xml',
        code: '<meta-data android:name="io.sentry.release" android:value="com.example.app@1.0.0+1" />',
      },
    ],
    test: {
      where: 'app/src/main/java/MainActivity.kt',
      code: `Sentry.captureException(RuntimeException("${firstError}"))`,
    },
  },
  {
    id: 'apple',
    readable: 'native',
    install: {
      where: 'Package.swift',
      code: '.package(url: "https://github.com/getsentry/sentry-cocoa", from: "9.0.0")',
    },
    files: [
      {
        where: 'App.swift',
        code: `import Sentry
import SwiftUI

@main
struct ExampleApp: App {
    init() {
        SentrySDK.start { options in
            options.dsn = "__DSN__"
            options.environment = "production"
        }
    }
}`,
      },
    ],
    release: [{ where: 'App.swift', code: 'options.releaseName = "com.example.app@1.0.0+1"' }],
    test: {
      where: 'ContentView.swift',
      code: `Button("Throw the test error") {
    SentrySDK.capture(error: NSError(domain: "${firstError}", code: 1))
}`,
    },
  },
  {
    id: 'flutter',
    readable: 'release',
    install: { where: 'shell', code: 'flutter pub add sentry_flutter' },
    files: [
      {
        where: 'lib/main.dart',
        code: `import 'package:flutter/widgets.dart';
import 'package:sentry_flutter/sentry_flutter.dart';

Future<void> main() async {
  await SentryFlutter.init((options) {
    options.dsn = '__DSN__';
    options.environment = 'production';
  }, appRunner: () => runApp(SentryWidget(child: const App())));
}`,
      },
    ],
    release: [{ where: 'lib/main.dart', code: "options.release = 'com.example.app@1.0.0+1';" }],
    test: { where: 'lib/broken.dart', code: `throw StateError('${firstError}');` },
  },
  {
    id: 'unity',
    readable: 'native',
    install: { where: 'Packages/manifest.json', code: '"io.sentry.unity": "https://github.com/getsentry/unity.git"' },
    files: [
      {
        where: 'Assets/Scripts/SentryRuntimeConfiguration.cs',
        code: `using Sentry.Unity;

public class SentryRuntimeConfiguration : SentryRuntimeOptionsConfiguration
{
    public override void Configure(SentryUnityOptions options)
    {
        ${dotnet.replace('\n    ', '\n        ')}
    }
}`,
      },
    ],
    release: [
      { where: 'Assets/Scripts/SentryRuntimeConfiguration.cs', code: 'options.Release = "com.example.app@1.0.0";' },
    ],
    test: { where: 'Assets/Scripts/Broken.cs', code: `throw new System.Exception("${firstError}");` },
  },
]
