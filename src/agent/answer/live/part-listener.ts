/** Which parts of sub-agents the stream of an agent has: their tool calls, also their text, or none. */
export const FORWARD_PARTS = ['all', 'tools', 'none'] as const
export type ForwardParts = (typeof FORWARD_PARTS)[number]

/** `text`: of the model; `calls`: of tools, with their results; `reports`: what tools write and yield. */
export type PartKind = 'text' | 'calls' | 'reports'

interface PartOf {
  /** The agent in whose answer it is made. */
  readonly agentId: string
  readonly runId: string
}

interface PartOfCall extends PartOf {
  readonly toolCallId: string
  readonly toolName: string
}

/** A piece of the text of a model. Those of one text have the same id. */
export interface TextPart extends PartOf {
  readonly kind: 'text'
  readonly id: string
  readonly text: string
}

/** The start of a tool call. `input` is JSON. */
export interface CallPart extends PartOfCall {
  readonly kind: 'call'
  readonly input: string
}

/** The result of a tool call, JSON, or its error. */
export interface ResultPart extends PartOfCall {
  readonly kind: 'result'
  readonly output?: string
  readonly error?: string
  /** The call continues. */
  readonly isPreliminary: boolean
}

/** What a tool wrote. `data` is JSON. */
export interface ReportPart extends PartOfCall {
  readonly kind: 'report'
  readonly type: `data-${string}`
  readonly data: string
  readonly id?: string
  readonly transient?: boolean
}

/** A part of an answer for those who read it now. It is not recorded. */
export type LivePart = TextPart | CallPart | ResultPart | ReportPart

/** Who reads live parts. */
export interface PartReader {
  /** Whether anybody does now: parts are not made for nobody. */
  isReading(): boolean
  /** @param callId the tool call of the streamed answer in which a sub-agent made it */
  send(part: LivePart, callId?: string): void
}

/** Receives the live parts of one answer. */
export interface PartListener {
  wants(kind: PartKind): boolean
  send(part: LivePart): void
  /** The listener of the answer of a sub-agent that a tool call asks. */
  nested(toolCallId: string): PartListener
}

const FORWARDED: Readonly<Record<ForwardParts, readonly PartKind[]>> = {
  all: ['text', 'calls', 'reports'],
  tools: ['calls', 'reports'],
  none: [],
}

/**
 * The listener of an answer on behalf of a reader.
 *
 * @param own the parts of the answer itself that the reader takes
 * @param forwardParts those of sub-agents, at whatever depth
 */
export function partListener(
  reader: PartReader,
  own: readonly PartKind[],
  forwardParts: ForwardParts = 'tools',
): PartListener {
  const listener = (kinds: readonly PartKind[], callId?: string): PartListener => {
    const self: PartListener = {
      wants: (kind) => kinds.includes(kind) && reader.isReading(),
      send: (part) => reader.send(part, callId),
      nested: (toolCallId) => (callId === undefined ? listener(FORWARDED[forwardParts], toolCallId) : self),
    }
    return self
  }
  return listener(own)
}
