import { useServices } from '../services/services-context.tsx'
import { credentialFor } from '../code/request-code.ts'
import type { CopyTarget } from './copy-as.ts'

/** The target of a copied request: the execute or the stream endpoint. */
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
