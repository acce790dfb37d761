import { useMemo } from 'react'
import { GrowingMarkdown } from '../../markdown/growing-markdown.tsx'
import { AnswerDetailsLine } from '../agents/chat/answer-details-line.tsx'
import { AnswerFailure } from '../agents/chat/answer-failure.tsx'
import { ToolPartView } from '../agents/chat/tool-part-view.tsx'
import type { Trial } from './use-trial.ts'
import { wordDiff } from './word-diff.ts'

export interface LabAnswerProps {
  readonly trial: Trial
  /** Accessible name. */
  readonly label: string
  readonly retry?: () => void
  /** The recorded answer that it is compared with. */
  readonly recorded?: Trial | undefined
}

/** An answer with its tool calls, its usage, and what differs from the recorded one. */
export function LabAnswer({ trial, label, retry, recorded }: LabAnswerProps) {
  const { text, calls, details } = trial
  const isFinal = details.status !== 'streaming'
  return (
    <article aria-label={label} aria-busy={!isFinal} className="flex min-w-0 flex-col gap-2">
      {calls.map((call) => (
        <ToolPartView key={call.toolCallId} part={call} isFinal={isFinal} waits={false} />
      ))}
      {text !== '' && <GrowingMarkdown text={text} />}
      {!isFinal && text === '' && <p className="text-dim">Waiting for the response…</p>}
      {details.status === 'stopped' && <p className="text-sm text-dim">Cancelled</p>}
      {details.status === 'error' && <AnswerFailure error={details.error} {...(retry && { retry })} />}
      {isFinal && (
        <div className="text-sm text-dim">
          <AnswerDetailsLine details={details} traceId={details.traceId} />
        </div>
      )}
      {details.status === 'completed' && recorded && <Differences before={recorded.text} after={text} />}
    </article>
  )
}

/** The recorded answer, which the others are compared with. */
export function RecordedColumn({ recorded }: { readonly recorded: Trial }) {
  return (
    <section aria-label="Recorded" className="flex min-w-0 flex-col gap-3 border-r border-line p-4">
      <h2 className="font-semibold">Recorded</h2>
      {recorded.text === '' && <p className="text-dim">No text was recorded.</p>}
      <LabAnswer trial={recorded} label="Recorded answer" />
    </section>
  )
}

const LOOKS = {
  same: '',
  removed: 'bg-error-panel text-error line-through',
  added: 'bg-panel text-ok',
} as const

function Differences({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = useMemo(() => wordDiff(before, after), [before, after])
  if (before === after) return <p className="text-sm text-dim">The same as Recorded</p>
  return (
    <details>
      <summary className="text-sm text-dim">Differences from Recorded</summary>
      <p className="whitespace-pre-wrap pt-1 [overflow-wrap:anywhere]">
        {parts.map(({ kind, text }, index) => {
          const Part = kind === 'same' ? 'span' : kind === 'added' ? 'ins' : 'del'
          return (
            <Part key={index} className={LOOKS[kind]}>
              {text}
            </Part>
          )
        })}
      </p>
    </details>
  )
}
