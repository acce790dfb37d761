import { afterAll, beforeAll } from 'vitest'
import { chatSuite } from '../../suites/chat/chat-suite.ts'
import { ChatBrowser } from '../../support/chat/browser-chat.ts'

let browser: ChatBrowser
beforeAll(async () => {
  browser = await ChatBrowser.launch()
})
afterAll(() => browser.close())

chatSuite('Chromium', () => browser.open)
