/** What a workflow is run with beside its input. Empty ones are not sent. */
export interface RunOptions {
  readonly userId: string
  readonly conversationId: string
  readonly executionId: string
  /** JSON text of an object. */
  readonly context: string
}

export const NO_OPTIONS: RunOptions = { userId: '', conversationId: '', executionId: '', context: '' }

/** What was last typed into the form of a workflow, in this tab of the browser. */
export interface SavedRun {
  readonly input?: unknown
  readonly options?: RunOptions
}

/** Longer texts are not kept: the browser's room is shared by the whole console. */
const MAX_LENGTH = 50_000

export function loadRun(workflowId: string): SavedRun {
  const text = sessionStorage.getItem(nameOf(workflowId))
  return text === null ? {} : (JSON.parse(text) as SavedRun)
}

export function saveRun(workflowId: string, run: SavedRun): void {
  const text = JSON.stringify(run)
  if (text.length > MAX_LENGTH) sessionStorage.removeItem(nameOf(workflowId))
  else sessionStorage.setItem(nameOf(workflowId), text)
}

export function forgetRun(workflowId: string): void {
  sessionStorage.removeItem(nameOf(workflowId))
}

function nameOf(workflowId: string): string {
  return `agentserver.run.${workflowId}`
}
