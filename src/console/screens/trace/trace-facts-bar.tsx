import { formatCost } from '../../../contract/usage/cost.ts'
import { Link } from '../../router/link.tsx'
import { Fact } from '../../ui/layout/fact.tsx'
import { countText, durationText, exactTime } from '../../ui/time/format-time.ts'
import type { TraceFacts } from './data/trace-facts.ts'

/** Links shown; of further ones only the number. */
const SHOWN = 2

/** Start, duration, errors, tokens, cost and subjects of a trace. */
export function TraceFactsBar({ facts, spans }: { readonly facts: TraceFacts; readonly spans: number }) {
  const { start, end, errors, inputTokens, outputTokens, cost, idsOf } = facts
  const links = (area: string, all: readonly string[]) =>
    all.length > 0 && (
      <>
        {all.slice(0, SHOWN).map((id) => (
          <Link key={id} to={`${area}/${encodeURIComponent(id)}`}>
            {id}
          </Link>
        ))}
        {all.length > SHOWN && <span className="text-dim">{countText(all.length - SHOWN)} more</span>}
      </>
    )
  const texts = (all: readonly string[]) => all.length > 0 && all.slice(0, SHOWN).join(', ')
  return (
    <dl className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-line px-4 py-1">
      <Fact name="Started">{exactTime(start)}</Fact>
      <Fact name="Duration">{durationText(Math.max(0, end - start))}</Fact>
      <Fact name="Spans">{countText(spans)}</Fact>
      <Fact name="Errors">{errors > 0 && <span className="text-error">{countText(errors)}</span>}</Fact>
      <Fact name="Tokens">
        {inputTokens + outputTokens > 0 && `${countText(inputTokens)} in, ${countText(outputTokens)} out`}
      </Fact>
      <Fact name="Cost">{inputTokens + outputTokens > 0 && cost !== null && formatCost(cost)}</Fact>
      <Fact name="Execution">{links('executions', idsOf('execution'))}</Fact>
      <Fact name="Workflow">{links('workflows', idsOf('workflow'))}</Fact>
      <Fact name="Agent">{links('agents', idsOf('agent'))}</Fact>
      <Fact name="User">{texts(idsOf('user'))}</Fact>
      <Fact name="Conversation">{texts(idsOf('conversation'))}</Fact>
    </dl>
  )
}
