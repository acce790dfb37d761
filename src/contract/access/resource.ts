import type { ResourceAction, ResourceKind } from '../auth.ts'

/** Paths that name a resource. An endpoint with such a path declares its `action`. */
export type ResourcePath =
  | `${string}/:executionId${string}`
  | `/workflows/:id${string}`
  | `/agents/:id${string}`
  | `/tools/:name${string}`
  | `/schedules/:id${string}`
  | `/evals/:id${string}`
  | `/observability/agents/:id${string}`
  | `/observability/workflows/:id${string}`

/** The resource that a path names, and the path's parameter that has its id. The first pattern that matches counts. */
const NAMED = [
  { pattern: /\/:executionId(?:\/|$)/, kind: 'execution', param: 'executionId' },
  { pattern: /\/:conversationId(?:\/|$)/, kind: 'conversation', param: 'conversationId' },
  { pattern: /\/:chatId(?:\/|$)/, kind: 'conversation', param: 'chatId' },
  { pattern: /^\/agents\/:id\/working-memory$/, kind: 'memory', param: 'id' },
  { pattern: /^(?:\/observability)?\/workflows\/:id(?:\/|$)/, kind: 'workflow', param: 'id' },
  { pattern: /^(?:\/observability)?\/agents\/:id(?:\/|$)/, kind: 'agent', param: 'id' },
  { pattern: /^\/tools\/:name(?:\/|$)/, kind: 'tool', param: 'name' },
  { pattern: /^\/schedules\/:id(?:\/|$)/, kind: 'schedule', param: 'id' },
  { pattern: /^\/evals\/:id(?:\/|$)/, kind: 'eval', param: 'id' },
] as const satisfies readonly { pattern: RegExp; kind: ResourceKind; param: string }[]

/** The kind of resource that a path names, and the parameter that has its id; `undefined` when it names none. */
export function resourceIn(path: string): (typeof NAMED)[number] | undefined {
  if (!known.has(path))
    known.set(
      path,
      NAMED.find(({ pattern }) => pattern.test(path)),
    )
  return known.get(path)
}

/** By the paths of the endpoint table. */
const known = new Map<string, (typeof NAMED)[number] | undefined>()

/** A conversation that a request names, and the user id that it claims. */
export interface NamedConversation {
  readonly id: string
  readonly userId: string | undefined
}

/** The conversation that a valid body names: by its `options`, by its own members, or as the id of a chat. */
export function conversationIn(
  body: unknown,
  action: ResourceAction | undefined,
): NamedConversation | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const top = body as Readonly<Record<string, unknown>>
  const options = top['options'] as typeof top | undefined
  const { conversationId, userId } = options ?? (action === 'chat' ? {} : top)
  const id = action === 'chat' ? (top['id'] ?? conversationId) : conversationId
  return typeof id === 'string' ? { id, userId: typeof userId === 'string' ? userId : undefined } : undefined
}
