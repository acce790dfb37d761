import { useServices } from '../../../app/services-context.tsx'
import { openerOf } from '../../../code/request-code.ts'
import type { CopyTarget } from './copy-as.ts'

/** Where a copied request goes to. */
export function useCopyTarget(workflowId: string): CopyTarget {
  const { api, addresses, credentials } = useServices()
  return {
    url: api.urlOf('executeWorkflow', { params: { id: workflowId } }),
    baseUrl: `${addresses.origin}${addresses.api}`.replace(/\/$/, ''),
    opener: openerOf(credentials, 'token'),
  }
}
