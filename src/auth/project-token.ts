import type { Endpoint } from '../contract/endpoint.ts'
import { AppError } from '../lib/errors.ts'
import type { Admission } from './admission.ts'
import { keyChecker } from './credentials.ts'
import { isOwnUser } from './local-peer.ts'
import type { PeerSocket } from './local-peer.ts'

export const PROJECT_TOKEN_HEADER = 'x-project-token'

/** A request to an endpoint, as it was admitted. */
export interface ProjectRequest {
  readonly request: Request
  readonly endpoint: Endpoint | undefined
  readonly by: Admission['by']
  /** `undefined` for a request that was made in this process. */
  readonly socket: PeerSocket | undefined
}

/**
 * The secret of one run of `agentserver dev`. Whoever has it may read the project's files: what changes the project or
 * the machine needs it from pages, which any site can open, and from other users and machines.
 */
export class ProjectToken {
  readonly #matches: (given: string | undefined) => boolean

  constructor(text: string) {
    this.#matches = keyChecker(text)
  }

  /**
   * Checks a request without a credential of the configuration to an endpoint that changes the project or the machine.
   *
   * @throws AppError `forbidden`
   */
  check({ request, endpoint, by, socket }: ProjectRequest): void {
    if (!endpoint || !changesProject(endpoint) || by === 'console' || by === 'user') return
    const { headers } = request
    if (this.#matches(headers.get(PROJECT_TOKEN_HEADER) ?? undefined)) return
    if (!isOfPage(headers) && isOwnUser(socket)) return
    throw new AppError(
      'forbidden',
      `This changes the project and needs its token: the link that dev printed, or .agentserver/token as ${PROJECT_TOKEN_HEADER}`,
    )
  }
}

/** Packages, keys, files, evals and trials: all that is not a read, and the check for updates, which runs a process. */
function changesProject({ group, method }: Endpoint): boolean {
  return group === 'setup' || group === 'updates' || (group === 'observability' && method !== 'GET')
}

/** Browsers send these headers, and no page can leave them out. */
function isOfPage(headers: Headers): boolean {
  return headers.has('origin') || headers.has('sec-fetch-site')
}
