import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'

/** The context that the running code finds as the active one. */
export class ActiveContext extends AsyncLocalStorageContextManager {}
