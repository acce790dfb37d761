/** A sale, in cents. */
interface Sale {
  readonly tenantId: string
  readonly month: string
  readonly cents: number
}

/** A simulated database. */
const SALES: readonly Sale[] = [
  { tenantId: 'north', month: '2026-10', cents: 129_900 },
  { tenantId: 'north', month: '2026-10', cents: 45_000 },
  { tenantId: 'north', month: '2026-11', cents: 80_000 },
  { tenantId: 'south', month: '2026-10', cents: 990_000 },
]

/** The sales of one tenant. No function returns those of all tenants, so no caller can forget the condition. */
export function salesOf(tenantId: string, month: string): readonly Sale[] {
  return SALES.filter((sale) => sale.tenantId === tenantId && sale.month === month)
}

export function tenants(): readonly string[] {
  return [...new Set(SALES.map(({ tenantId }) => tenantId))]
}
