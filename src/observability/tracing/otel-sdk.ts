import { createRequire } from 'node:module'
import type * as Core from '@opentelemetry/core'
import type * as Resources from '@opentelemetry/resources'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { lazy } from '../../lib/async/lazy.ts'

const require = createRequire(import.meta.url)

// loaded on first use: a server without exports and without spans of user code saves 5 MB of memory
export const otelCore = lazy((): typeof Core => require('@opentelemetry/core'))
export const otelResources = lazy((): typeof Resources => require('@opentelemetry/resources'))
export const otelSdk = lazy((): typeof Sdk => require('@opentelemetry/sdk-trace-base'))
