import { createRequire } from 'node:module'
import type * as Core from '@opentelemetry/core'
import type * as Resources from '@opentelemetry/resources'
import type { Resource } from '@opentelemetry/resources'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { lazy } from '../../lib/async/lazy.ts'
import { VERSION } from '../../lib/packages/version.ts'

const require = createRequire(import.meta.url)

// loaded on first use: a server without exports and without spans of user code saves 5 MB of memory
export const otelCore = lazy((): typeof Core => require('@opentelemetry/core'))
const otelResources = lazy((): typeof Resources => require('@opentelemetry/resources'))
export const otelSdk = lazy((): typeof Sdk => require('@opentelemetry/sdk-trace-base'))

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
