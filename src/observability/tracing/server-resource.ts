import type { Resource } from '@opentelemetry/resources'
import { VERSION } from '../../lib/packages/version.ts'
import { otelResources } from './otel-sdk.ts'

/** The resource of all telemetry of the server. */
export function serverResource(): Resource {
  const { defaultResource, resourceFromAttributes } = otelResources()
  return defaultResource().merge(
    resourceFromAttributes({ 'service.name': 'agentserver', 'service.version': VERSION }),
  )
}
