import { hostname } from 'node:os'

/** Names this process among those that use the same database: `host:pid`. */
export const MACHINE_ID = `${hostname()}:${process.pid}`
