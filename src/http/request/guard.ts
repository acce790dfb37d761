import { checkOrigin } from '../../auth/origin-rules.ts'
import type { Services } from '../services.ts'

/**
 * Without authentication the whole server is guarded by where requests come from. In production it is open.
 * `connects` is for answers that stay open: pages of other sites get none.
 *
 * @throws AppError `forbidden`
 */
export function guard(request: Request, services: Services, connects = false): void {
  if (services.production || services.authenticated() || services.isOperator(request)) return
  checkOrigin(request, services.trustedOrigins(), connects)
}
