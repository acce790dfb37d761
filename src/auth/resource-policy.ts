import type {
  AuthNext,
  AuthorizeRequest,
  AuthSettings,
  Resource,
  ResourceAction,
  User,
} from '../contract/auth.ts'
import { idOfKey, userKey } from '../contract/access/user-key.ts'
import { AppError } from '../lib/errors.ts'

/** A resource, with the facts that the rules depend on. */
export interface OwnedResource extends Pick<Resource, 'kind' | 'id'> {
  /** The key of its owner; null: anyone's. */
  readonly owner: string | null
  /** To whom else than its owner the action is open. Default: nobody. */
  readonly openness?: () => Promise<Openness>
}

/**
 * `default`: the contract opens the action to all users, unless the configuration is strict. `open`: it is declared for
 * users, also then.
 */
export type Openness = 'closed' | 'default' | 'open'

type GetUser = () => Promise<User | undefined>

/** What users may do with executions, workflows, agents, tools, schedules, evals, conversations and the server. */
export interface ResourcePolicy {
  /** The rule for executions, in one line. */
  readonly rule: string
  /** The user with no more than the claims that decisions depend on. */
  readonly relevant: (user: User) => User
  /** Whether lists of records leave out those of other users. */
  readonly limitsLists: boolean
  /** Whether it depends on the user who may read a kind of resource. */
  limitsReads(kind: Resource['kind']): boolean
  /** Whether a signed link to an execution resumes it: its holder is nobody who is known. */
  allowsLink(execution: OwnedResource): Promise<boolean>
  /**
   * Whether a user may do something with a resource. The user is asked for only where the decision depends on it.
   * Rejects when `authorize` throws or takes over 10 seconds.
   */
  allows(user: GetUser, action: ResourceAction, resource: OwnedResource): Promise<boolean>
}

const AUTHORIZE_MS = 10_000
const OWNER = 'an execution belongs to the user who started it'
const SUSPENSION = 'they can suspend and resume it, unless its workflow declares resumableBy'

/** The resource policy of a configuration. */
export function resourcePolicy({ authNext, auth }: AuthSettings): ResourcePolicy {
  if (authNext?.authorize) return customPolicy(authNext.authorize)
  if (authNext?.ownership === 'strict')
    return {
      rule: `${OWNER}: others cannot use it, but resume it if its workflow declares that (resumableBy)`,
      relevant: identity,
      limitsLists: true,
      limitsReads: isExecution,
      allowsLink,
      allows: async (user, _, resource) =>
        (await isOpenTo(user, resource)) || (await resource.openness?.()) === 'open',
    }
  if (authNext)
    return {
      rule: `${OWNER}: others cannot read, stream, cancel or replay it; ${SUSPENSION}`,
      relevant: identity,
      limitsLists: true,
      limitsReads: isExecution,
      allowsLink,
      allows: async (user, _, resource) =>
        (await isOpenTo(user, resource)) || (await isOpenToOthers(resource)),
    }
  if (auth)
    return {
      rule: `${OWNER}: others can read and stream it, but not cancel or replay it; ${SUSPENSION}`,
      relevant: identity,
      limitsLists: false,
      limitsReads: () => false,
      allowsLink,
      allows: async (user, action, resource) =>
        (isExecution(resource.kind) && (action === 'read' || action === 'stream')) ||
        (await isOpenTo(user, resource)) ||
        (await isOpenToOthers(resource)),
    }
  return {
    rule: 'anyone can use every execution',
    relevant: identity,
    limitsLists: false,
    limitsReads: () => false,
    allowsLink,
    allows: async () => true,
  }
}

/** Whoever gave the link away could resume. */
const allowsLink = async () => true

function customPolicy(authorize: NonNullable<AuthNext['authorize']>): ResourcePolicy {
  const isAllowed = async (
    { kind, id, owner }: OwnedResource,
    request: Omit<AuthorizeRequest, 'resource'>,
  ) => {
    const ownerId = owner === null ? undefined : (idOfKey(owner) ?? owner)
    const resource: Resource = { kind, id, ...(ownerId !== undefined && { ownerId }) }
    // users of JavaScript may return anything
    return ((await withinTime(async () => authorize({ ...request, resource }))) as unknown) === true
  }
  return {
    rule: 'authNext.authorize decides who can use executions, workflows, agents, conversations, tools, schedules, evals and the server',
    relevant: (user) => user,
    limitsLists: true,
    limitsReads: () => true,
    allowsLink: (resource) => isAllowed(resource, { user: undefined, action: 'resume', over: 'link' }),
    allows: async (user, action, resource) => isAllowed(resource, { user: await user(), action }),
  }
}

/** What the key of a user is made of. */
function identity(user: User): User {
  return user.id === undefined ? user : { id: user.id }
}

function isExecution(kind: Resource['kind']): boolean {
  return kind === 'execution'
}

async function isOpenToOthers({ openness }: OwnedResource): Promise<boolean> {
  return openness !== undefined && (await openness()) !== 'closed'
}

async function isOpenTo(user: GetUser, { owner }: OwnedResource): Promise<boolean> {
  if (owner === null) return true
  const found = await user()
  return found !== undefined && userKey(found) === owner
}

async function withinTime<T>(work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    const late = () => reject(new AppError('internal', `authNext.authorize took over ${AUTHORIZE_MS} ms`))
    timer = setTimeout(late, AUTHORIZE_MS)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}
