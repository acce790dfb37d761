import type { ReactNode } from 'react'
import type { Span } from '../../../../contract/endpoints/trace.ts'
import { shortJson } from '../../../json/short-json.ts'
import { Link } from '../../../router/link.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { countText, exactTime } from '../../../ui/time/format-time.ts'
import { KeyValue } from '../../../ui/layout/key-value.tsx'
import { Duration } from '../../../ui/time/time.tsx'
import { SPAN_SORTS, sortOf, textOf } from '../data/span-kind.ts'

export interface SpanFactsProps {
  readonly span: Span
  /** Milliseconds since the trace began. */
  readonly after: number
  readonly parent: Span | undefined
  readonly choose: (spanId: string) => void
}

/** What a span is, where it belongs, and how long it took. */
export function SpanFacts({ span, after, parent, choose }: SpanFactsProps) {
  const { spanId, parentSpanId, kind, startTime, durationMs, status } = span
  const [sort, tone] = SPAN_SORTS[sortOf(span)]
  const to = (area: string, attribute: string): ReactNode => {
    const id = textOf(span, attribute)
    return id !== '' && <Link to={`${area}/${encodeURIComponent(id)}`}>{id}</Link>
  }
  const attempt = Number(span.attributes['agentserver.step.attempt'])
  const stepId = textOf(span, 'agentserver.step.id')
  return (
    <KeyValue
      rows={[
        [
          'Kind',
          <>
            <span aria-hidden="true" className={`mr-1.5 inline-block size-2.5 rounded-[2px] ${tone}`} />
            {sort} <span className="text-dim">({kind})</span>
          </>,
        ],
        ['Took', status === 'running' ? <Duration since={startTime} /> : <Duration ms={durationMs} />],
        [
          'Started',
          <>
            {exactTime(startTime)}{' '}
            <span className="text-dim">
              (+
              <Duration ms={after} />)
            </span>
          </>,
        ],
        ['Execution', to('executions', 'agentserver.execution.id')],
        ['Workflow', to('workflows', 'agentserver.workflow.id')],
        ['Agent', to('agents', 'gen_ai.agent.id')],
        ['Step', stepId],
        ['Attempt', attempt > 1 && attempt],
        [
          'Parent',
          parentSpanId !== null &&
            (parent ? (
              <button
                type="button"
                className="break-all text-left text-accent hover:underline"
                onClick={() => choose(parentSpanId)}
              >
                {parent.name.slice(0, 200)}
              </button>
            ) : (
              <span className="font-mono text-sm">{parentSpanId}, not in this trace</span>
            )),
        ],
        [
          'Span',
          <span className="flex items-center gap-1 font-mono text-sm">
            {spanId} <CopyButton text={spanId} label="Copy the span id" />
          </span>,
        ],
      ]}
    />
  )
}

/** What a call of a model took. */
export function ModelFacts({ span: { attributes } }: { readonly span: Span }) {
  const of = (name: string) => attributes[`gen_ai.${name}`]
  const count = (name: string) => {
    const value = of(name)
    return typeof value === 'number' && countText(value)
  }
  const [asked, answered] = [of('request.model'), of('response.model')]
  const model = [answered ?? asked, of('provider.name')].filter((part) => part !== undefined)
  const reasons = of('response.finish_reasons')
  return (
    <KeyValue
      rows={[
        ['Model', model.map((part) => shortJson(part)).join(', from ')],
        [
          'Asked for',
          answered !== undefined && asked !== undefined && asked !== answered && shortJson(asked),
        ],
        ['Tokens in', count('usage.input_tokens')],
        ['of them cached', count('usage.cache_read.input_tokens')],
        ['Tokens out', count('usage.output_tokens')],
        ['Ended by', Array.isArray(reasons) ? reasons.map((reason) => shortJson(reason)).join(', ') : ''],
      ]}
    />
  )
}

/** Attributes that these two say already. */
export const TOLD: readonly string[] = [
  'agentserver.execution.id',
  'agentserver.workflow.id',
  'agentserver.step.id',
  'agentserver.step.attempt',
  'gen_ai.agent.id',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.response.finish_reasons',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.cache_read.input_tokens',
]
