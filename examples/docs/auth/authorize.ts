import { jwtAuth } from 'agentserver'
import type { AuthNext, AuthorizeRequest } from 'agentserver'

/** Managers approve and withdraw everything; accounts reads everything; all others have their own. */
function authorize({ user, action, resource }: AuthorizeRequest): boolean {
  const isOwn = resource.ownerId === undefined || resource.ownerId === user?.id
  switch (user?.role) {
    case 'manager':
      return true
    case 'accounts':
      return isOwn || action === 'read' || action === 'stream'
    default:
      return isOwn && action !== 'resume'
  }
}

export const authNext: AuthNext = {
  provider: jwtAuth({ secret: process.env['JWT_SECRET'] }),
  authorize,
}
