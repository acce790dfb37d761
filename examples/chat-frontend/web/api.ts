import type { UIMessage } from 'ai'

/** Where the agent is, when the page is not served from the same origin. */
export const AGENT = `${import.meta.env['VITE_AGENTSERVER_URL'] ?? ''}/agents/guide`

/** Tells visitors apart. With authentication the token does that, and this is ignored. */
export const USER_ID = (localStorage['userId'] ??= crypto.randomUUID()) as string

/** What the server adds to the messages of the agent. */
export interface AnswerMetadata {
  readonly usage?: { readonly totalTokens: number; readonly costUsd: number | null }
  /** `guardrail` when a guardrail blocked the request or the answer, for this reason. */
  readonly finishReason?: string
  readonly reason?: string
}
export type GuideMessage = UIMessage<AnswerMetadata>

export interface Conversation {
  readonly id: string
  readonly title: string | null
}

export const listConversations = () => request<Conversation[]>('conversations')

export async function loadMessages(id: string): Promise<GuideMessage[]> {
  const pending = localStorage[`pending:${id}`] as string | undefined
  // a call that waits for the user is stored with its answer, once it is complete
  if (pending !== undefined) return JSON.parse(pending) as GuideMessage[]
  const conversations = await listConversations()
  const isStored = conversations.some((conversation) => conversation.id === id)
  return isStored ? request<GuideMessage[]>(`conversations/${encodeURIComponent(id)}/messages`) : []
}

/** Keeps the messages of a conversation while it waits for the user. */
export function keepPending(id: string, messages: readonly GuideMessage[] | undefined): void {
  if (messages) localStorage[`pending:${id}`] = JSON.stringify(messages)
  else localStorage.removeItem(`pending:${id}`)
}

export const renameConversation = (id: string, title: string) =>
  request(`conversations/${encodeURIComponent(id)}`, { method: 'PATCH', body: JSON.stringify({ title }) })

export async function deleteConversation(id: string): Promise<void> {
  keepPending(id, undefined)
  await request(`conversations/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

/** Aborts the answer on the server, which continues when the page only disconnects. */
export const stopAnswer = (id: string) =>
  request(`chat/${encodeURIComponent(id)}/stop`, { method: 'POST', body: '{}' })

async function request<Data>(path: string, init: RequestInit = {}): Promise<Data> {
  const response = await fetch(`${AGENT}/${path}?userId=${USER_ID}`, {
    ...init,
    headers: { 'Content-Type': 'application/json' },
  })
  const body = (await response.json()) as { readonly data: Data; readonly error?: string }
  if (!response.ok) throw new Error(body.error ?? response.statusText)
  return body.data
}
