import { ChatSession } from './chat-session.ts'
import type { ChatSessionOptions } from './chat-session.ts'

/** The conversations that were opened on this page. An answer goes on coming while another one is looked at. */
export class ChatSessions {
  readonly #options: Omit<ChatSessionOptions, 'conversationId' | 'remembers'>
  readonly #sessions = new Map<string, ChatSession>()

  constructor(options: Omit<ChatSessionOptions, 'conversationId' | 'remembers'>) {
    this.#options = options
  }

  /** The conversation of this id; `fresh` has nothing behind it that would have to be fetched. */
  of(conversationId: string, { remembers, fresh }: { remembers: boolean; fresh: boolean }): ChatSession {
    const known = this.#sessions.get(conversationId)
    if (known) return known
    const session = new ChatSession({ ...this.#options, conversationId, remembers })
    this.#sessions.set(conversationId, session)
    if (!fresh) void session.load()
    return session
  }

  /** Breaks off what is coming. */
  stop(): void {
    for (const session of this.#sessions.values()) session.stop()
  }
}
