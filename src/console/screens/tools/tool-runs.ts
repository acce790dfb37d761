/** One run of a tool, as this browser tab remembers it. */
export interface ToolRun {
  readonly at: string
  readonly input: unknown
  readonly status: 'completed' | 'error' | 'cancelled'
  readonly durationMs: number
  readonly result?: unknown
  /** The result was too large to be remembered. */
  readonly cut?: boolean
  readonly error?: { readonly status: number; readonly message: string; readonly requestId?: string }
  readonly traceId?: string
}

const KEPT = 20
const LONGEST_RESULT = 20_000

function placeOf(name: string): string {
  return `agentserver.tool-runs.${name}`
}

/** The last runs of a tool, newest first. */
export function rememberedRuns(name: string): readonly ToolRun[] {
  try {
    const runs: unknown = JSON.parse(sessionStorage.getItem(placeOf(name)) ?? '[]')
    return Array.isArray(runs) ? (runs as ToolRun[]) : []
  } catch {
    // what somebody else wrote there
    return []
  }
}

/** Remembers runs for as long as the tab is open. */
export function rememberRuns(name: string, runs: readonly ToolRun[]): void {
  const kept = runs.slice(0, KEPT).map((run) => bounded(run))
  for (let count = kept.length; count > 0; count = Math.floor(count / 2)) {
    try {
      sessionStorage.setItem(placeOf(name), JSON.stringify(kept.slice(0, count)))
      return
    } catch {
      // the storage is full: fewer may fit
    }
  }
}

function bounded(run: ToolRun): ToolRun {
  const { result, ...rest } = run
  const length = JSON.stringify(result)?.length ?? 0
  return length > LONGEST_RESULT ? { ...rest, cut: true } : run
}
