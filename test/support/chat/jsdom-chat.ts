import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'
import type { OpenPage } from './chat-page.ts'

interface Dom {
  readonly window: {
    readonly navigator: object
    readonly document: { querySelector(selector: string): Element | null }
    close(): void
  }
}

// its declarations would bring those of the DOM to all tests
const { JSDOM } = createRequire(import.meta.url)('jsdom') as {
  JSDOM: new (html: string, options: object) => Dom
}

/** Opens the page in a window of jsdom, with the `fetch` of Node. */
export const openInJsdom: OpenPage = async (options) => {
  const { window } = new JSDOM('<div id="root"></div>', { url: options.api, pretendToBeVisual: true })
  vi.stubGlobal('window', window)
  vi.stubGlobal('document', window.document)
  vi.stubGlobal('navigator', window.navigator)
  // React looks for the window when it is loaded
  const { mountChat } = await import('./chat-client.ts')
  const left = new AbortController()
  const fetchOfPage: typeof fetch = (url, init) => {
    const signals = [left.signal, ...(init?.signal ? [init.signal] : [])]
    return fetch(url, { ...init, signal: AbortSignal.any(signals) })
  }
  const root = window.document.querySelector('#root')
  if (!root) throw new Error('The page has no element #root')
  const chat = await mountChat(root, options, fetchOfPage)
  const shown = () => window.document.querySelector('#chat') as { readonly textContent: string } | null
  return {
    text: () => Promise.resolve(shown()?.textContent ?? ''),
    act: (action) => Promise.resolve(chat.act(action)),
    close: async () => {
      left.abort()
      chat.unmount()
      // the scheduler of React ends what it has begun
      await setImmediate()
      window.close()
    },
  }
}
