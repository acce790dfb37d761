import type { Resource } from '@opentelemetry/resources'
import { VERSION } from '../../lib/packages/version.ts'
import { otelResources } from './otel-sdk.ts'

/** The resource of all telemetry of the server. `instanceId` tells machines with the same database apart. */
export function serverResource(instanceId: string | undefined): Resource {
  const { defaultResource, resourceFromAttributes } = otelResources()
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': 'agentserver',
      'service.version': VERSION,
      ...(instanceId !== undefined && { 'service.instance.id': instanceId }),
    }),
  )
}
