import { PAGE } from '../../contract/fields.ts'
import type { Page } from '../../store/page.ts'

/** The query of a list, as text. */
interface PageQuery {
  readonly limit?: string | undefined
  readonly offset?: string | undefined
}

/** The page that a request asks for. */
export function pageOf({ limit, offset }: PageQuery): Page {
  return { limit: Number(limit ?? PAGE.defaultLimit), offset: Number(offset ?? 0) }
}
