import { ATTRIBUTE } from '../../../contract/attributes.ts'
import { sumCosts } from '../../../contract/usage/cost.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { categoryOf, spanTitle, textOf } from './span-category.ts'
import type { TreeSpan } from './span-tree.ts'

/** Summary of a trace, from its spans. */
export interface TraceDetails {
  readonly name: string
  /** The outermost run: of a workflow, an agent or a tool; else the first span. */
  readonly about: Span | undefined
  readonly status: 'running' | 'ok' | 'error'
  readonly start: number
  readonly end: number
  readonly errors: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In US dollars; null when that of a model call is unknown. */
  readonly cost: number | null
  /** Ids of the executions, workflows, … that have spans in the trace. */
  readonly idsOf: (subject: Subject) => readonly string[]
}

const SUBJECTS = [
  ['execution', ATTRIBUTE.executionId],
  ['workflow', ATTRIBUTE.workflowId],
  ['agent', ATTRIBUTE.agentId],
  ['conversation', ATTRIBUTE.conversationId],
  ['user', ATTRIBUTE.userId],
] as const
type Subject = (typeof SUBJECTS)[number][0]

export function detailsOf(placed: readonly TreeSpan[], now: number): TraceDetails {
  const found = new Map<Subject, Set<string>>()
  let start = Infinity
  let end = -Infinity
  let errors = 0
  let isRunning = false
  let [inputTokens, outputTokens] = [0, 0]
  const costs: (number | null)[] = []
  for (const { span, start: from, end: to } of placed) {
    start = Math.min(start, from)
    end = Math.max(end, to ?? now)
    if (span.status === 'error') errors++
    if (span.status === 'running') isRunning = true
    if (categoryOf(span) === 'model') {
      inputTokens += numberOf(span, ATTRIBUTE.inputTokens) ?? 0
      outputTokens += numberOf(span, ATTRIBUTE.outputTokens) ?? 0
      // a running call has no usage yet
      if (span.status !== 'running') costs.push(numberOf(span, ATTRIBUTE.cost) ?? null)
    }
    for (const [subject, name] of SUBJECTS) {
      const id = textOf(span, name)
      if (id !== '') found.set(subject, (found.get(subject) ?? new Set()).add(id))
    }
  }
  const [first] = placed
  const about = placed.find(({ span }) => ABOUT.has(categoryOf(span))) ?? first
  const failed = about?.span.status === 'error' || first?.span.status === 'error'
  return {
    about: about?.span,
    name: about ? spanTitle(about.span) : 'Request',
    status: isRunning ? 'running' : failed ? 'error' : 'ok',
    start,
    end,
    errors,
    inputTokens,
    outputTokens,
    cost: sumCosts(costs),
    idsOf: (subject) => [...(found.get(subject) ?? [])],
  }
}

const ABOUT: ReadonlySet<string> = new Set(['workflow', 'agent', 'tool'])

function numberOf({ attributes }: Span, name: string): number | undefined {
  const value = attributes[name]
  return typeof value === 'number' ? value : undefined
}
