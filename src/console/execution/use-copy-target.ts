import { useServices } from '../services/services-context.tsx'
import { credentialFor } from '../code/request-code.ts'
import type { CopyTarget } from './copy-as.ts'

/** Where a copied request goes to: the endpoint that executes, or the one that streams. */
export function useCopyTarget(
  workflowId: string,
  key: 'executeWorkflow' | 'streamWorkflow' = 'executeWorkflow',
): CopyTarget {
  const { api, addresses, credentials } = useServices()
  return {
    url: api.urlOf(key, { params: { id: workflowId } }),
    baseUrl: `${addresses.origin}${addresses.api}`.replace(/\/$/, ''),
    credential: credentialFor(credentials, 'token'),
  }
}
