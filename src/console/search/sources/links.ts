import { errorMessage } from '../../api/request-failure.ts'
import { fillRunForm } from '../../execution/saved-run.ts'
import type { Services } from '../../services/services.ts'
import type { Found, FoundAction } from '../found.ts'

/** The page of something, and what else can be done with it. */
export type Links = Pick<Found, 'key' | 'run' | 'actions'>

export function executionLinks(services: Services, id: string): Links {
  const { router } = services
  const path = `executions/${encodeURIComponent(id)}`
  return linksTo(services, path, [
    { name: 'Replay from a step', run: () => void router.navigate(`${path}?replay=true`) },
    { name: 'Run again with this input', run: () => void openFromRecord(services, id, fillRunForm) },
    { name: 'Open request', run: () => void openFromRecord(services, id, traceOf) },
    { name: 'Show logs', run: () => void router.navigate(`logs?executionId=${encodeURIComponent(id)}`) },
  ])
}

export function workflowLinks(services: Services, id: string): Links {
  const executions = `executions?workflowId=${encodeURIComponent(id)}`
  return linksTo(services, `workflows/${encodeURIComponent(id)}`, [
    { name: 'Show runs', run: () => void services.router.navigate(executions) },
  ])
}

export function agentLinks(services: Services, id: string): Links {
  const path = `agents/${encodeURIComponent(id)}`
  return linksTo(services, path, [
    { name: 'Show history', run: () => void services.router.navigate(`${path}?tab=history`) },
  ])
}

export function linksTo({ router }: Services, path: string, actions: readonly FoundAction[] = []): Links {
  return { key: path, run: () => void router.navigate(path), actions }
}

interface RecordedRun {
  readonly id: string
  readonly workflowId: string
  readonly input: unknown
  readonly metadata: { readonly traceId: string }
}

/** Opens an address that the record of an execution has. */
async function openFromRecord(
  { api, router, toasts }: Services,
  executionId: string,
  addressIn: (record: RecordedRun) => string,
): Promise<void> {
  try {
    const record = await api.call('observeExecution', { params: { executionId } })
    await router.navigate(addressIn(record))
  } catch (error) {
    toasts.error(errorMessage(error))
  }
}

function traceOf({ metadata }: RecordedRun): string {
  return `traces/${encodeURIComponent(metadata.traceId)}`
}
