import { ChatSession } from './chat-session.ts'
import type { ChatSessionOptions } from './chat-session.ts'

/** The conversations opened on this page. Answers keep streaming while another conversation is shown. */
export class ChatSessions {
  readonly #options: Omit<ChatSessionOptions, 'conversationId' | 'remembers'>
  readonly #sessions = new Map<string, ChatSession>()

  constructor(options: Omit<ChatSessionOptions, 'conversationId' | 'remembers'>) {
    this.#options = options
  }

  /** The conversation with this id; a `fresh` one has no history to fetch. */
  of(conversationId: string, { remembers, fresh }: { remembers: boolean; fresh: boolean }): ChatSession {
    const known = this.#sessions.get(conversationId)
    if (known) return known
    const session = new ChatSession({ ...this.#options, conversationId, remembers })
    this.#sessions.set(conversationId, session)
    if (!fresh) void session.load()
    return session
  }

  /** Aborts all streaming answers. */
  stop(): void {
    for (const session of this.#sessions.values()) session.stop()
  }
}
