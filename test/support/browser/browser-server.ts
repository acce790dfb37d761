import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { FLAGS, browsers } from './find-browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Returns the endpoint of the shared browser, which is launched by the first request. */
    readonly browserUrl: string
  }
}

/** Provides one browser for the whole run, launched only when a test needs it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | undefined
  const server = createServer((_, response) => {
    browser ??= launch()
    browser.then(
      (started) => response.end(started.wsEndpoint()),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  project.provide('browserUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    const started = await browser?.catch(() => undefined)
    await started?.close()
  }
}

async function launch(): Promise<BrowserServer> {
  const { chromium } = await import('playwright-core')
  const failures: string[] = []
  try {
    for await (const executablePath of browsers()) {
      try {
        return await chromium.launchServer({ executablePath, args: FLAGS, headless: true })
      } catch (error) {
        failures.push(`${executablePath}: ${String(error).split('\n')[0]}`)
      }
    }
  } catch (error) {
    failures.push(String(error))
  }
  throw new Error(
    `The browser tests need Chrome or Chromium: install one, or set CHROME_PATH. Tried:\n${failures.join('\n')}`,
  )
}
