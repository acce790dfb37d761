import type { Logger } from 'pino'

/** Where a store logs what happens in the background. */
export type StoreLogger = Pick<Logger, 'info' | 'warn' | 'debug'>

export const SILENT: StoreLogger = { info: () => undefined, warn: () => undefined, debug: () => undefined }
