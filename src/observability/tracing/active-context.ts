import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'

/** OpenTelemetry's context manager, on AsyncLocalStorage. */
export class ActiveContext extends AsyncLocalStorageContextManager {}
