import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import { VERSION } from '../../lib/packages/own-package.ts'

/** The resource of all telemetry of the server. `instanceId` tells machines with the same database apart. */
export function serverResource(instanceId: string | undefined): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': 'agentserver',
      'service.version': VERSION,
      ...(instanceId !== undefined && { 'service.instance.id': instanceId }),
    }),
  )
}
