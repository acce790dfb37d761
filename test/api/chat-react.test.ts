import { chatSuite } from '../suites/chat/chat-suite.ts'
import { openInJsdom } from '../support/chat/jsdom-chat.ts'

chatSuite('jsdom', () => openInJsdom)
