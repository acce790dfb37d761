import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../browser/launch-browser.ts'
import type { ChatAction } from './chat-client.ts'
import type { OpenPage } from './chat-page.ts'
import { clientAliases } from './client-aliases.ts'

const ENTRY = fileURLToPath(new URL('chat-client.ts', import.meta.url))

/** Opens chat pages in Chromium. */
export class ChatBrowser {
  readonly #browser: Browser
  readonly #script: string

  private constructor(browser: Browser, script: string) {
    this.#browser = browser
    this.#script = script
  }

  static async launch(): Promise<ChatBrowser> {
    const [browser, script] = await Promise.all([launchBrowser(), bundle()])
    return new ChatBrowser(browser, script)
  }

  /** Opens the page at the origin of the API. */
  readonly open: OpenPage = async (options) => {
    const context = await this.#browser.newContext()
    const { origin } = new URL(options.api)
    await context.route(`${origin}/chat-page.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: this.#script }),
    )
    await context.route(`${origin}/chat-page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: html(JSON.stringify(options)) }),
    )
    const page = await context.newPage()
    await page.goto(`${origin}/chat-page`)
    const shown = page.locator('#chat')
    await page.waitForFunction('globalThis.chat')
    return {
      text: async () => (await shown.textContent()) ?? '',
      act: (action: ChatAction) => page.evaluate(`chat.act(${JSON.stringify(action)})`),
      close: () => context.close(),
    }
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}

function html(options: string): string {
  const data = options.replaceAll('<', String.raw`\u003c`)
  return `<!doctype html><title>Chat</title><div id="root"></div><script type="module">
    import { mountChat } from '/chat-page.js'
    globalThis.chat = await mountChat(document.querySelector('#root'), ${data})
  </script>`
}

async function bundle(): Promise<string> {
  const { build } = await import('vite')
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"development"' },
    resolve: { alias: clientAliases(process.env['AI_SDK_FOLDER']) },
    build: { write: false, minify: false, lib: { entry: ENTRY, formats: ['es'] } },
  })
  const [output] = Array.isArray(result) ? result : [result]
  if (!output || !('output' in output)) throw new Error('The chat page was not built')
  return output.output[0].code
}
