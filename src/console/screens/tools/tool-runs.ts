/** One run of a tool, stored in this browser tab. */
export interface ToolRun {
  readonly at: string
  readonly input: unknown
  readonly status: 'completed' | 'error' | 'cancelled'
  readonly durationMs: number
  readonly result?: unknown
  /** The result was too large to be stored. */
  readonly isTruncated?: boolean
  readonly error?: { readonly status: number; readonly message: string; readonly requestId?: string }
  readonly traceId?: string
}

const MAX_RUNS = 20
const MAX_RESULT_LENGTH = 20_000

function storageKey(name: string): string {
  return `agentserver.tool-runs.${name}`
}

/** The last runs of a tool, newest first. */
export function loadRuns(name: string): readonly ToolRun[] {
  try {
    const runs: unknown = JSON.parse(sessionStorage.getItem(storageKey(name)) ?? '[]')
    return Array.isArray(runs) ? (runs as ToolRun[]) : []
  } catch {
    // not written by the console
    return []
  }
}

/** Stores runs until the tab is closed. */
export function saveRuns(name: string, runs: readonly ToolRun[]): void {
  const kept = runs.slice(0, MAX_RUNS).map((run) => boundResult(run))
  for (let count = kept.length; count > 0; count = Math.floor(count / 2)) {
    try {
      sessionStorage.setItem(storageKey(name), JSON.stringify(kept.slice(0, count)))
      return
    } catch {
      // the storage is full: retry with fewer runs
    }
  }
}

function boundResult(run: ToolRun): ToolRun {
  const { result, ...rest } = run
  const length = JSON.stringify(result)?.length ?? 0
  return length > MAX_RESULT_LENGTH ? { ...rest, isTruncated: true } : run
}
