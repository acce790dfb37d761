import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserServer } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { FLAGS, browsers } from './find-browser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the browser that all files share, which starts when it is first asked for. */
    readonly browserUrl: string
  }
}

/** One browser for the whole run; none, nor what drives it, when no test asks for it. */
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
    `The console's tests need a browser. Install Chrome or Chromium, or name one with CHROME_PATH. Tried:\n${failures.join('\n')}`,
  )
}
