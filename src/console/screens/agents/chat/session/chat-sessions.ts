import { ChatSession } from './chat-session.ts'
import type { ChatSessionOptions } from './chat-session.ts'
import { keyOf } from './conversations.ts'

/** The conversations opened on this page. Answers keep streaming while another conversation is shown. */
export class ChatSessions {
  readonly #options: Omit<ChatSessionOptions, 'conversationId' | 'remembers' | 'userId'>
  readonly #sessions = new Map<string, ChatSession>()

  constructor(options: Omit<ChatSessionOptions, 'conversationId' | 'remembers' | 'userId'>) {
    this.#options = options
  }

  /** The conversation with this id; a `fresh` one has no history to fetch. */
  of(
    conversationId: string,
    { remembers, fresh, userId }: { remembers: boolean; fresh: boolean; userId?: string | undefined },
  ): ChatSession {
    const key = keyOf({ id: conversationId, userId: userId ?? null })
    const known = this.#sessions.get(key)
    if (known) return known
    const session = new ChatSession({ ...this.#options, conversationId, remembers, userId })
    this.#sessions.set(key, session)
    if (!fresh) void session.load()
    return session
  }

  /** Forgets a conversation that was deleted, and stops reading its answer. */
  forget({ id, userId }: { readonly id: string; readonly userId: string | null }): void {
    for (const key of [keyOf({ id, userId }), keyOf({ id, userId: null })]) {
      this.#sessions.get(key)?.disconnect()
      this.#sessions.delete(key)
    }
  }

  /** Stops reading all answers. */
  disconnect(): void {
    for (const session of this.#sessions.values()) session.disconnect()
  }
}
