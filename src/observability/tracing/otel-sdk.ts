import { createRequire } from 'node:module'
import type * as Core from '@opentelemetry/core'
import type * as Resources from '@opentelemetry/resources'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { lazy } from '../../lib/async/lazy.ts'

const require = createRequire(import.meta.url)

// on first use: 5 MB of memory, which servers that neither export spans nor are given any can spare
export const otelCore = lazy((): typeof Core => require('@opentelemetry/core'))
export const otelResources = lazy((): typeof Resources => require('@opentelemetry/resources'))
export const otelSdk = lazy((): typeof Sdk => require('@opentelemetry/sdk-trace-base'))
