import { ATTRIBUTE } from '../../../contract/attributes.ts'
import { formatCost } from '../../../contract/usage/cost.ts'
import type { ReactNode } from 'react'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { shortJson } from '../../json/parse-json.ts'
import { DeclaredName } from '../../ui/declared-name.tsx'
import type { NamedKind } from '../../ui/declared-name.tsx'
import { Link } from '../../router/link.tsx'
import { CopyButton } from '../../ui/controls/button.tsx'
import { countText, exactTime } from '../../ui/time/format-time.ts'
import { KeyValue } from '../../ui/layout/key-value.tsx'
import { Duration } from '../../ui/time/time.tsx'
import { ITEM_KINDS } from '../../waterfall/tree-item.ts'
import { categoryOf, spanTitle, textOf } from './span-category.ts'

export interface SpanDetailsProps {
  readonly span: Span
  /** Milliseconds since the start of the trace. */
  readonly after: number
  readonly parent: Span | undefined
  readonly choose: (spanId: string) => void
}

/** Kind, start, duration and context of a span. */
export function SpanDetails({ span, after, parent, choose }: SpanDetailsProps) {
  const { spanId, parentSpanId, kind, startTime, durationMs, status } = span
  const [sort, tone] = ITEM_KINDS[categoryOf(span)]
  const to = (area: string, attribute: string, kind?: NamedKind): ReactNode => {
    const id = textOf(span, attribute)
    if (id === '') return false
    return (
      <Link to={`${area}/${encodeURIComponent(id)}`}>{kind ? <DeclaredName kind={kind} id={id} /> : id}</Link>
    )
  }
  const attempt = Number(span.attributes[ATTRIBUTE.stepAttempt])
  const stepId = textOf(span, ATTRIBUTE.stepId)
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
        ['Duration', status === 'running' ? <Duration since={startTime} /> : <Duration ms={durationMs} />],
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
        ['Run', to('executions', ATTRIBUTE.executionId)],
        ['Workflow', to('workflows', ATTRIBUTE.workflowId, 'workflow')],
        ['Agent', to('agents', ATTRIBUTE.agentId, 'agent')],
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
                {spanTitle(parent)}
              </button>
            ) : (
              <span className="font-mono text-sm">{parentSpanId}, not in this request</span>
            )),
        ],
        [
          'Span',
          <span className="flex items-center gap-1 font-mono text-sm">
            {spanId} <CopyButton text={spanId} label="Copy span id" />
          </span>,
        ],
      ]}
    />
  )
}

/** Model, tokens, cost and finish reason of a model call. */
export function ModelDetails({ span: { attributes } }: { readonly span: Span }) {
  const count = (name: string) => {
    const value = attributes[name]
    return typeof value === 'number' && countText(value)
  }
  const { [ATTRIBUTE.requestModel]: requested, [ATTRIBUTE.responseModel]: responded } = attributes
  const model = [responded ?? requested, attributes[ATTRIBUTE.provider]].filter((part) => part !== undefined)
  const { [ATTRIBUTE.finishReasons]: reasons, [ATTRIBUTE.cost]: cost } = attributes
  return (
    <KeyValue
      rows={[
        ['Model', model.map((part) => shortJson(part)).join(', provider ')],
        [
          'Requested model',
          responded !== undefined &&
            requested !== undefined &&
            requested !== responded &&
            shortJson(requested),
        ],
        ['Input tokens', count(ATTRIBUTE.inputTokens)],
        ['Cached input tokens', count(ATTRIBUTE.cachedInputTokens)],
        ['Output tokens', count(ATTRIBUTE.outputTokens)],
        ['Cost', typeof cost === 'number' && formatCost(cost)],
        [
          'Finish reason',
          Array.isArray(reasons) ? reasons.map((reason) => shortJson(reason)).join(', ') : '',
        ],
      ]}
    />
  )
}

/** Attributes that SpanDetails and ModelDetails show. */
export const SHOWN_ATTRIBUTES: readonly string[] = [
  ATTRIBUTE.executionId,
  ATTRIBUTE.workflowId,
  ATTRIBUTE.stepId,
  ATTRIBUTE.stepAttempt,
  ATTRIBUTE.agentId,
  ATTRIBUTE.provider,
  ATTRIBUTE.requestModel,
  ATTRIBUTE.responseModel,
  ATTRIBUTE.finishReasons,
  ATTRIBUTE.inputTokens,
  ATTRIBUTE.outputTokens,
  ATTRIBUTE.cachedInputTokens,
  ATTRIBUTE.cost,
]
