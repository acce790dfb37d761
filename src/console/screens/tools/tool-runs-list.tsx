import { shortJson } from '../../json/short-json.ts'
import { Button } from '../../ui/controls/button.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { Duration, Time } from '../../ui/time/time.tsx'
import type { ToolRun } from './tool-runs.ts'

export interface ToolRunsProps {
  readonly runs: readonly ToolRun[]
  readonly chosen: string | undefined
  readonly choose: (at: string) => void
  readonly reuse: (input: unknown) => void
}

/** The runs stored in this browser tab. */
export function ToolRuns({ runs, chosen, choose, reuse }: ToolRunsProps) {
  if (runs.length === 0) return null
  return (
    <section aria-label="Last runs" className="pt-6">
      <h2 className="pb-1 font-semibold">Last runs</h2>
      <p className="pb-1 text-sm text-dim">Stored until this tab is closed.</p>
      <ul className="border-t border-line">
        {runs.map((run) => (
          <li
            key={run.at}
            className={`flex items-center gap-3 border-b border-line px-1 py-0.5 ${run.at === chosen ? 'bg-chosen' : ''}`}
          >
            <button
              type="button"
              aria-pressed={run.at === chosen}
              onClick={() => choose(run.at)}
              className="flex min-w-0 flex-1 items-center gap-3 text-left"
            >
              <span className="w-24 shrink-0">
                <StatusBadge status={run.status} />
              </span>
              <span className="min-w-0 flex-1 truncate font-mono text-sm">{shortJson(run.input)}</span>
              <span className="shrink-0 text-sm text-dim">
                <Duration ms={run.durationMs} /> · <Time at={run.at} />
              </span>
            </button>
            <Button size="small" onClick={() => reuse(run.input)}>
              Use input
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
