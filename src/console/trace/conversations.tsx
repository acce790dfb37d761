import { useMemo } from 'react'
import type { Span } from '../../contract/endpoints/trace.ts'
import { oneLine } from '../ui/escape-text.ts'
import { Section } from '../ui/layout/side-panel.tsx'
import { agentMessages } from './agent-messages.ts'
import { Conversation } from './conversation.tsx'

const MAX_NAME_CHARS = 200

export interface ConversationsProps {
  /** The spans of the trace. */
  readonly spans: readonly Span[]
  /** Path of the step, or id of the span, whose agents are shown. */
  readonly of: { readonly step: string } | { readonly spanId: string }
  /** Only messages until this time, in milliseconds since the epoch. */
  readonly until?: number | undefined
}

/** What the agents of a step were asked and answered. */
export function Conversations({ spans, of, until }: ConversationsProps) {
  const agents = useMemo(() => agentMessages(spans, until), [spans, until])
  const shown = agents.filter(({ step, agentSpanId }) =>
    'step' in of ? step === of.step : agentSpanId === of.spanId,
  )
  return shown.map(({ spanId, agent, messages, isAnswering }) => (
    <Section key={spanId} title={`Conversation of ${oneLine(agent, MAX_NAME_CHARS)}`}>
      {messages.length > 0 ? (
        <Conversation messages={messages} />
      ) : (
        <p className="text-dim">Its messages were not recorded: set observability.captureContent.</p>
      )}
      {isAnswering && <p className="pt-1 text-dim">Answering…</p>}
    </Section>
  ))
}
