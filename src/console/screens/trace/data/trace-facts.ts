import type { Span } from '../../../../contract/endpoints/trace.ts'
import { sortOf, textOf } from './span-kind.ts'
import type { PlacedSpan } from './span-tree.ts'

/** What a trace is about, told by its spans. */
export interface TraceFacts {
  readonly name: string
  readonly status: 'running' | 'ok' | 'error'
  readonly start: number
  readonly end: number
  readonly errors: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of which executions, workflows, … there are spans. */
  readonly idsOf: (subject: Subject) => readonly string[]
}

const SUBJECTS = [
  ['execution', 'agentserver.execution.id'],
  ['workflow', 'agentserver.workflow.id'],
  ['agent', 'gen_ai.agent.id'],
  ['conversation', 'gen_ai.conversation.id'],
  ['user', 'agentserver.user.id'],
] as const
type Subject = (typeof SUBJECTS)[number][0]

export function factsOf(placed: readonly PlacedSpan[], now: number): TraceFacts {
  const found = new Map<Subject, Set<string>>()
  let start = Infinity
  let end = -Infinity
  let errors = 0
  let isRunning = false
  let [inputTokens, outputTokens] = [0, 0]
  for (const { span, start: from, end: to } of placed) {
    start = Math.min(start, from)
    end = Math.max(end, to ?? now)
    if (span.status === 'error') errors++
    if (span.status === 'running') isRunning = true
    if (sortOf(span) === 'model') {
      inputTokens += numberOf(span, 'gen_ai.usage.input_tokens')
      outputTokens += numberOf(span, 'gen_ai.usage.output_tokens')
    }
    for (const [subject, name] of SUBJECTS) {
      const id = textOf(span, name)
      if (id !== '') found.set(subject, (found.get(subject) ?? new Set()).add(id))
    }
  }
  const [first] = placed
  const about = placed.find(({ span }) => ABOUT.has(sortOf(span))) ?? first
  const failed = about?.span.status === 'error' || first?.span.status === 'error'
  return {
    name: about?.span.name ?? 'Trace',
    status: isRunning ? 'running' : failed ? 'error' : 'ok',
    start,
    end,
    errors,
    inputTokens,
    outputTokens,
    idsOf: (subject) => [...(found.get(subject) ?? [])],
  }
}

const ABOUT: ReadonlySet<string> = new Set(['workflow', 'agent', 'tool'])

function numberOf({ attributes }: Span, name: string): number {
  return Number(attributes[name]) || 0
}
