import { persist } from 'agentserver'
import { connect, type Pool } from './connect.ts'

const url = process.env['SHOP_DATABASE_URL'] ?? 'postgres://localhost/shop'

/** Opened once. Reopened, and the old pool closed, only when the URL changes. */
export const pool: Pool = persist('pool', () => connect(url), { deps: [url], dispose: (old) => old.close() })

/** Runs as long as this version of the file is in use. */
const refresh = setInterval(() => pool.refresh(), 60_000)
import.meta.hot?.dispose(() => clearInterval(refresh))
