import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { findBrowser } from './find-browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the executable of the browser, which the first request finds or installs. */
    readonly browserPathUrl: string
  }
}

/** Finds one browser for the whole run, only when a test needs it: two workers must not install it at once. */
export async function setup(project: TestProject): Promise<() => void> {
  let found: Promise<string> | undefined
  const server = createServer((_, response) => {
    found ??= findBrowser()
    found.then(
      (path) => response.end(path),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  project.provide('browserPathUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return () => void server.close()
}
