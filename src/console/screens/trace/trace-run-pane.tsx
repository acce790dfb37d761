import { formatCost } from '../../../contract/usage/cost.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { Link } from '../../router/link.tsx'
import { CopyButton } from '../../ui/controls/button.tsx'
import { Detail } from '../../ui/layout/key-value.tsx'
import { Section, SidePanel } from '../../ui/layout/side-panel.tsx'
import { countText, durationText, exactTime } from '../../ui/time/format-time.ts'
import { RunContents } from './span-panel.tsx'
import type { TraceDetails } from './trace-details.ts'

export interface TraceRunPaneProps {
  readonly traceId: string
  readonly details: TraceDetails
  /** Number of spans of the trace, loaded or not. */
  readonly spanCount: number
}

/** The run that a trace records: its input and output, its times and costs. */
export function TraceRunPane({ spans, ...props }: TraceRunPaneProps & { readonly spans: readonly Span[] }) {
  const { about } = props.details
  return (
    <SidePanel title="Run">
      {about && <RunContents span={about} spans={spans} />}
      <Section title="Details">
        <Facts {...props} />
      </Section>
    </SidePanel>
  )
}

/** Links shown; of further ones only the number. */
const SHOWN = 2

/** Start, duration, errors, tokens, cost and subjects of a trace. */
function Facts({ traceId, details, spanCount }: TraceRunPaneProps) {
  const { start, end, errors, inputTokens, outputTokens, cost, idsOf } = details
  const links = (area: string, all: readonly string[]) =>
    all.length > 0 && (
      <>
        {all.slice(0, SHOWN).map((id) => (
          <Link
            key={id}
            to={`${area}/${encodeURIComponent(id)}`}
            className="inline-flex min-h-6 items-center text-accent hover:underline"
          >
            {id}
          </Link>
        ))}
        {all.length > SHOWN && <span className="text-dim">{countText(all.length - SHOWN)} more</span>}
      </>
    )
  const texts = (all: readonly string[]) => all.length > 0 && all.slice(0, SHOWN).join(', ')
  return (
    <dl className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
      <Detail name="Started">{exactTime(start)}</Detail>
      <Detail name="Duration">{durationText(Math.max(0, end - start))}</Detail>
      <Detail name="Spans">{countText(spanCount)}</Detail>
      <Detail name="Errors">{errors > 0 && <span className="text-error">{countText(errors)}</span>}</Detail>
      <Detail name="Tokens">
        {inputTokens + outputTokens > 0 && `${countText(inputTokens)} in, ${countText(outputTokens)} out`}
      </Detail>
      <Detail name="Cost">{inputTokens + outputTokens > 0 && cost !== null && formatCost(cost)}</Detail>
      <Detail name="Run">{links('executions', idsOf('execution'))}</Detail>
      <Detail name="Workflow">{links('workflows', idsOf('workflow'))}</Detail>
      <Detail name="Agent">{links('agents', idsOf('agent'))}</Detail>
      <Detail name="User">{texts(idsOf('user'))}</Detail>
      <Detail name="Conversation">{texts(idsOf('conversation'))}</Detail>
      <Detail name="Request">
        <span className="break-all font-mono text-sm">{traceId}</span>
        <CopyButton text={traceId} label="Copy id of the request" />
      </Detail>
    </dl>
  )
}
