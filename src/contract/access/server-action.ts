import type { ResourceAction } from '../auth.ts'
import { GROUPS } from '../endpoint.ts'
import type { Endpoint } from '../endpoint.ts'
import { resourceIn } from './resource.ts'

/**
 * What a request does with the server itself: of the console's endpoints all that name no other resource and decide about
 * no records. `undefined` for other endpoints, and for pages, which have no data.
 */
export function serverAction({
  path,
  method,
  group,
  lists,
  asksByRecord,
}: Endpoint): ResourceAction | undefined {
  const isOfConsole = GROUPS[group].access === 'console' || group === 'setup'
  if (!isOfConsole || group === 'docs' || resourceIn(path) || lists || asksByRecord) return undefined
  return method === 'GET' ? 'read' : 'update'
}
