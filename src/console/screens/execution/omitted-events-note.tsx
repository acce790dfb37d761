import type { ExecutionDetail } from '../../../contract/endpoints/execution.ts'
import { curlCode, credentialFor } from '../../code/request-code.ts'
import { useServices } from '../../services/services-context.tsx'
import { CopyButton } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { countText } from '../../ui/time/format-time.ts'

/** The events that the record of an execution has of a longer list, with the command that returns all; else nothing. */
export function OmittedEventsNote({ record }: { readonly record: ExecutionDetail }) {
  const { id: executionId, workflowId, events, omitted } = record
  const { api, credentials } = useServices()
  if (!omitted?.includes('events')) return null
  const streamCommand = () => {
    const url = api.urlOf('followExecution', { params: { id: workflowId, executionId } })
    return curlCode({ method: 'GET', url, credential: credentialFor(credentials, 'token') })
  }
  return (
    <p className="shrink-0 border-b border-line bg-warning-panel px-4 py-1">
      <Icon name="error" className="mr-1.5 inline text-suspended" />
      This page has the first {countText(events.length)} events. The stream of the run has all:{' '}
      <CopyButton text={streamCommand} label="Copy curl command of all events" />
    </p>
  )
}
