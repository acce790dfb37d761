/** The options of a run. Empty ones are not sent. */
export interface RunOptions {
  readonly userId: string
  readonly conversationId: string
  readonly executionId: string
  /** JSON text of an object. */
  readonly context: string
}

export const NO_OPTIONS: RunOptions = { userId: '', conversationId: '', executionId: '', context: '' }

/** The last input of the run form, stored in this browser tab. */
export interface SavedRun {
  readonly input?: unknown
  readonly options?: RunOptions
}

/** Longer texts are not stored: the storage is shared by the whole console. */
const MAX_LENGTH = 50_000

export function loadRun(workflowId: string): SavedRun {
  const text = sessionStorage.getItem(storageKey(workflowId))
  return text === null ? {} : (JSON.parse(text) as SavedRun)
}

export function saveRun(workflowId: string, run: SavedRun): void {
  const text = JSON.stringify(run)
  if (text.length > MAX_LENGTH) sessionStorage.removeItem(storageKey(workflowId))
  else sessionStorage.setItem(storageKey(workflowId), text)
}

/** Puts the input of an execution into the run form, and returns its address. */
export function fillRunForm({
  id,
  workflowId,
  input,
}: {
  readonly id: string
  readonly workflowId: string
  readonly input: unknown
}): string {
  saveRun(workflowId, { input })
  return `workflows/${encodeURIComponent(workflowId)}?inputOf=${encodeURIComponent(id)}`
}

export function forgetRun(workflowId: string): void {
  sessionStorage.removeItem(storageKey(workflowId))
}

function storageKey(workflowId: string): string {
  return `agentserver.run.${workflowId}`
}
