import type { Tool, ToolAccess } from '../agent/tools/tool.ts'
import { admits } from '../contract/access/callers.ts'
import type { Approvers, CallerKind } from '../contract/access/callers.ts'
import type { Decider, DecisionInterface, DecisionSubject } from '../contract/access/decision.ts'
import type { Resource, ResourceAction, User } from '../contract/auth.ts'
import { resourceIn, conversationIn } from '../contract/access/resource.ts'
import { serverAction } from '../contract/access/server-action.ts'
import type { ExecutionResult, ResumedExecution } from '../contract/event.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import { NO_USER_ID, idOfUser, recordUserId, userKey } from '../contract/access/user-key.ts'
import type { Engine } from '../engine/engine.ts'
import type { EventSender, Receiver } from '../engine/events/senders.ts'
import type { ExecutionRef } from '../engine/executions/find.ts'
import { refOf } from '../engine/executions/find.ts'
import type { Ownership } from '../engine/executions/find.ts'
import type { Registry } from '../engine/registry.ts'
import { AppError } from '../lib/errors.ts'
import type { Admission } from './admission.ts'
import type { AccessPolicy } from './access-policy.ts'
import type { Openness, ResourcePolicy } from './resource-policy.ts'

interface AccessDeps {
  readonly policy: AccessPolicy
  readonly registry: Registry
  readonly engine: Pick<Engine, 'executions' | 'conversations' | 'memories'>
}

/** The parts of a valid request that name resources. */
interface NamedResources {
  readonly params: object
  readonly query?: Claim | undefined
  readonly body?: unknown
}

/** An entry of a list. */
interface Listed {
  readonly id: string
  readonly ownerId?: string | undefined
}

/** What one caller may do with executions, workflows, agents, conversations and tools. */
export class CallerAccess {
  /** The caller, if the rules apply: not to operators, who have the console key or the development bypass. */
  readonly #caller: Admission | undefined
  readonly #rules: ResourcePolicy
  readonly #engine: AccessDeps['engine']
  readonly #registry: Registry
  /** What the caller is to the declarations of workflows, events and tools. */
  readonly #kind: CallerKind
  readonly #admitted: Admission | 'operator'
  readonly #over: DecisionInterface | undefined

  /**
   * @param caller `operator`: the user of this process, such as the CLI
   * @param over how the caller's decisions arrive; without one, the caller can't make any
   */
  constructor(
    caller: Admission | 'operator',
    { policy, engine, registry }: AccessDeps,
    over?: DecisionInterface,
  ) {
    const isUser = caller !== 'operator' && (caller.by === 'user' || caller.by === 'public')
    this.#caller = isUser && policy.mode !== 'none' ? caller : undefined
    this.#rules = policy.resources
    this.#engine = engine
    this.#registry = registry
    this.#kind = kindOf(caller, this.#caller)
    this.#admitted = caller
    this.#over = caller === 'operator' ? 'cli' : over
  }

  /** The caller as somebody who responds to what waits for a decision, by these rules. */
  get decider(): Decider {
    if (!this.#over) throw new Error('The endpoint does not declare `decides`: it cannot make decisions')
    const { user, by } =
      this.#admitted === 'operator' ? { user: undefined, by: 'operator' as const } : this.#admitted
    const isOperator = by !== 'user' && by !== 'public'
    return {
      by: isOperator ? 'operator' : user ? 'user' : 'anyone',
      user,
      over: this.#over,
      check: (subject) => this.#toDecide(subject),
    }
  }

  /** The rules of all decisions. */
  async #toDecide(subject: DecisionSubject): Promise<void> {
    switch (subject.kind) {
      case 'execution':
        return this.toExecution('resume', subject)
      case 'wait':
        if (admits(subject.openTo, this.#kind)) return
        throw new AppError('forbidden', `The execution waits: ${this.#kind}s can't resume it`)
      case 'calls':
        return this.#toApprove(subject)
      case 'tool':
        if (subject.approvedBy !== undefined)
          await this.#checkApprovers([subject.approvedBy], async () => true)
        return this.to('resume', 'tool', subject.name)
      case 'run':
        return this.#toRun(subject)
    }
  }

  async #toApprove({
    kind: _kind,
    approvers,
    ...ref
  }: Extract<DecisionSubject, { kind: 'calls' }>): Promise<void> {
    if (!this.#caller) return
    const { isAsker } = await this.#engine.executions.ownership(ref)
    await this.#checkApprovers(approvers, async (user) => user !== undefined && (await isAsker(user)))
  }

  async #toRun({ agentId, run }: Extract<DecisionSubject, { kind: 'run' }>): Promise<void> {
    if (!this.#caller) return
    const { owner = null, approvers = [] } = run ?? {}
    // on a public route a run has the user that was known when it started
    const isOwn = !run || [this.#caller.user, await this.#user()].some((user) => keyOf(user) === run.owner)
    const isForOthers = approvers.length > 0 && approvers.every((one) => one === 'others')
    const openness = async () => (isOwn || isForOthers ? ('open' as const) : ('closed' as const))
    const resource = { kind: 'agent', id: agentId, owner, openness } as const
    if (!(await this.#rules.allows(this.#user, 'resume', resource))) {
      if (isOwn)
        throw new AppError('forbidden', `You are not allowed to decide about calls of the agent ${agentId}`)
      throw new AppError('not_found', `Run not found: ${run.id}`)
    }
    await this.#checkApprovers(
      approvers.filter((one) => one !== undefined),
      async () => isOwn,
    )
  }

  /**
   * Checks what tools declare about the approval of their calls.
   *
   * @throws AppError `forbidden`
   */
  async #checkApprovers(
    approvers: readonly Approvers[],
    isAsker: (user: User | undefined) => Promise<boolean>,
  ): Promise<void> {
    if (this.#kind !== 'user' || approvers.length === 0) return
    if (approvers.includes('operators'))
      throw new AppError('forbidden', 'An operator has to approve the call')
    const user = await this.#user()
    const asked = await isAsker(user)
    if (approvers.includes('others') && (asked || !user))
      throw new AppError('forbidden', 'Another user has to approve the call')
    if (approvers.includes('asker') && !asked)
      throw new AppError('forbidden', 'The user who asked has to approve the call')
  }

  /**
   * Checks the action of an endpoint on the resources that a request to it names. Returns `undefined`, not a promise, where
   * no rules apply to the caller.
   *
   * @throws AppError `not_found` or `forbidden`, also as a rejection
   */
  toEndpoint(endpoint: Endpoint, resources: NamedResources): Promise<void> | undefined {
    if (this.#caller) return this.#toEndpoint(endpoint, resources)
    const named = resourceIn(endpoint.path)
    const { [named?.param ?? '']: id = '' } = resources.params as Readonly<Record<string, string>>
    if (named && endpoint.action) this.#checkDeclared(endpoint.action, named.kind, id)
    return undefined
  }

  async #toEndpoint(endpoint: Endpoint, { params, query, body }: NamedResources): Promise<void> {
    const { path, action, openByContract, bodyUnchecked } = endpoint
    const onServer = serverAction(endpoint)
    if (onServer) await this.to(onServer, 'server', path)
    const named = resourceIn(path)
    if (named) {
      // the types of the endpoint table require one
      if (action === undefined) throw new Error(`The endpoint ${path} declares no action`)
      // whoever resumes decides: the engine asks before it does
      if (action === 'resume' && endpoint.decides) return
      const ids = params as Readonly<Record<string, string>>
      const { [named.param]: id = '', id: workflowId } = ids
      if (named.kind === 'execution')
        await this.toExecution(
          action,
          { executionId: id, ...(workflowId !== undefined && { workflowId }) },
          openByContract === true,
        )
      else if (named.kind === 'conversation') await this.toConversation(id, query?.userId, action)
      else if (named.kind === 'memory') await this.toMemory(action, id, query?.userId)
      else await this.to(action, named.kind, id)
    }
    const conversation = bodyUnchecked ? undefined : conversationIn(body, action)
    if (conversation) await this.toConversation(conversation.id, conversation.userId)
  }

  /**
   * @param openByContract the contract opens the action to all users
   * @throws AppError `not_found`, also when the execution is not open to the caller
   */
  async toExecution(action: ResourceAction, ref: ExecutionRef, openByContract = false): Promise<void> {
    if (!this.#caller) return
    const { owner, workflowId, ...facts } = await this.#engine.executions.ownership(ref)
    const decision = isSuspension(action)
      ? { kind: this.#kind, action, user: this.#user, owner, facts }
      : undefined
    const refusal = decision && (await refusalOf(decision))
    const openness = async () => (decision ? opennessOf(decision) : openByContract ? 'default' : 'closed')
    const resource = { kind: 'execution', id: ref.executionId, owner, openness } as const
    if (refusal === 'not_found' || !(await this.#rules.allows(this.#user, action, resource)))
      throw new AppError('not_found', `Execution not found: ${ref.executionId}`)
    if (refusal !== undefined) throw new AppError('forbidden', refusal)
    if (action === 'replay') this.toRepeat(workflowId)
  }

  /** Whether the caller may read an execution; operators, also one that does not exist. */
  canRead(executionId: string): Promise<boolean> {
    return this.mayDo('read', executionId)
  }

  /** Whether the caller may do something with an execution; operators, also with one that does not exist. */
  async mayDo(action: ResourceAction, executionId: string): Promise<boolean> {
    try {
      await this.toExecution(action, { executionId })
      return true
    } catch (error) {
      if (error instanceof AppError && (error.code === 'not_found' || error.code === 'forbidden'))
        return false
      throw error
    }
  }

  /** The result of a resume; without the data of the execution for a caller who may not read it. */
  async readableResult(result: ExecutionResult): Promise<ExecutionResult | ResumedExecution> {
    const { executionId, status } = result
    return (await this.canRead(executionId)) ? result : { executionId, status }
  }

  /**
   * Checks the use of a conversation.
   *
   * @param claimed the user id in the request, which counts for callers without a user
   * @throws AppError `not_found`
   */
  async toConversation(id: string, claimed?: string, action: ResourceAction = 'chat'): Promise<void> {
    if (!this.#caller) return
    const key = { userId: recordUserId(this.#caller.user, claimed), conversationId: id }
    const owner = await this.#engine.conversations.owner(key)
    if (!(await this.#rules.allows(this.#user, action, { kind: 'conversation', id, owner })))
      throw new AppError('not_found', `Conversation not found: ${id}`)
  }

  /**
   * Checks the use of an agent's working memory. A caller without a user id has none; one who only claims an id, none of
   * that user.
   *
   * @throws AppError `not_found`
   */
  async toMemory(action: ResourceAction, agentId: string, claimed?: string): Promise<void> {
    if (!this.#caller) return
    const userId = recordUserId(this.#caller.user, claimed)
    const isNobody = userId === null || userId === NO_USER_ID
    const isOwned = !isNobody && (this.#caller.user || (await this.#engine.memories.has({ agentId, userId })))
    const owner = isOwned ? JSON.stringify(userId) : null
    const resource = { kind: 'memory', id: agentId, owner } as const
    if (isNobody || !(await this.#rules.allows(this.#user, action, resource)))
      throw new AppError('not_found', `Working memory not found: ${agentId}`)
  }

  /** Whose working memory a request means, after the check of `toMemory`: an id that is only claimed is in an array. */
  memoryUser(claimed?: string): string | null | readonly [string] {
    if (!this.#caller) return claimed ?? null
    const { user } = this.#caller
    return user ? recordUserId(user, undefined) : [claimed ?? NO_USER_ID]
  }

  /**
   * Whose conversations a list has; `undefined` for a caller who has none: a user without an id, or nobody on a public
   * route, who must not see those of others.
   *
   * @param claimed the user id in the request, which counts for callers without a user
   */
  conversations(claimed?: string): ConversationsOf | undefined {
    if (!this.#caller) return { userId: claimed ?? null }
    const { user } = this.#caller
    if (user) return { userId: recordUserId(user, undefined) }
    return claimed === undefined ? undefined : { userId: claimed, ownerless: true }
  }

  /** @throws AppError `forbidden` */
  async to(
    action: ResourceAction,
    kind: Exclude<Resource['kind'], 'execution' | 'conversation' | 'memory'>,
    id: string,
  ): Promise<void> {
    this.#checkDeclared(action, kind, id)
    if (!this.#caller) return
    if (!(await this.#rules.allows(this.#user, action, { kind, id, owner: null })))
      throw new AppError(
        'forbidden',
        `You are not allowed to ${action === 'resume' ? 'decide about calls of' : 'use'} the ${kind} ${id}`,
      )
  }

  /** Checks what the configuration declares, which holds for all callers. */
  #checkDeclared(action: ResourceAction, kind: Resource['kind'], id: string): void {
    if (kind === 'workflow' && action === 'execute') this.#checkStart(id)
    if (kind === 'event') this.#checkEvent(id)
  }

  /** @throws AppError `not_found` for a workflow that only steps of others run, `forbidden` by its `startedBy` */
  #checkStart(id: string): void {
    const { name, startedBy = 'users' } = this.#registry.get(id).definition
    if (this.#kind !== 'code' && !this.#registry.servesWorkflow(id)) {
      const hint = `. "${name}" is used only by steps of other workflows; add it to "workflows" in the configuration to start it`
      throw new AppError('not_found', `Workflow not found: ${id}${this.#kind === 'user' ? '' : hint}`)
    }
    if (admits(startedBy, this.#kind)) return
    const reason =
      startedBy === 'code'
        ? `The workflow "${id}" is started only by code: start(), a schedule or a step`
        : `The workflow "${id}" is started by operators`
    throw new AppError('forbidden', reason)
  }

  /** @throws AppError `forbidden` for an event that no step takes from the caller, and that starts no workflow for them */
  #checkEvent(name: string): void {
    const senders = this.#registry.sendersOf(name)
    if (this.#kind === 'code' || (senders ? admits(senders, this.#kind) : this.#kind === 'operator')) return
    throw new AppError('forbidden', `The event "${name}" is not accepted from ${this.#kind}s`)
  }

  /**
   * Checks a start that repeats another one, whose input is known: a replay, or the next one of a schedule. Operators can
   * repeat every start; users need what the first one needs.
   *
   * @throws AppError `forbidden`
   */
  toRepeat(workflowId: string): void {
    if (this.#kind !== 'user') return
    const startedBy = this.#registry.find(workflowId)?.definition.startedBy ?? 'users'
    if (startedBy !== 'users' || !this.#registry.servesWorkflow(workflowId))
      throw new AppError('forbidden', `You are not allowed to start the workflow ${workflowId}`)
  }

  /**
   * Checks a call of a tool that is not an agent's.
   *
   * @throws AppError `forbidden`
   */
  toCall({ name, access: { callable, needsApproval } = NO_ACCESS }: Pick<Tool, 'name' | 'access'>): void {
    if (this.#kind === 'code') return
    if (callable === false) throw new AppError('forbidden', `The tool "${name}" is called only by agents`)
    if (this.#kind === 'user' && needsApproval && callable !== true)
      throw new AppError('forbidden', `The tool "${name}" needs approval: users can't call it directly`)
  }

  /** On whom it depends which executions an event of the caller resumes; `undefined` for code, whose events resume all. */
  async sender(): Promise<EventSender | undefined> {
    if (this.#kind === 'code') return undefined
    const operator = this.#kind === 'operator' && ({ by: 'operator' } as const)
    const user = this.#caller && (await this.#user())
    return { ...operator, ...(user && { user: this.#rules.relevant(user) }) }
  }

  /** Whether the rules apply to the caller: not to operators. */
  get isLimited(): boolean {
    return this.#caller !== undefined
  }

  /** Whether it depends on the execution whether the caller may read it. */
  get hasLimitedReads(): boolean {
    return this.#caller !== undefined && this.#rules.limitsReads('execution')
  }

  /** The user; on a public route, once the provider has answered. */
  readonly #user = async () => this.#caller?.user ?? this.#caller?.identified

  /** Whether lists of records are limited to those of one user. */
  get hasLimitedLists(): boolean {
    return this.#caller !== undefined && this.#rules.limitsLists
  }

  /**
   * The key of the user whose records the caller may change; `null`: those of no user. `undefined` for operators and
   * without authentication: all.
   */
  async owner(): Promise<string | null | undefined> {
    if (!this.#caller) return undefined
    return keyOf(await this.#user())
  }

  /** Limits lists of records to those of one user; `undefined` without a limit. */
  async limit(): Promise<RecordLimit | undefined> {
    if (!this.hasLimitedLists) return undefined
    const user = await this.#user()
    return { owner: user ? userKey(user) : null, userId: user ? (idOfUser(user) ?? NO_USER_ID) : null }
  }

  /** The entries of a list that the caller may read. Returns them, not a promise, where lists have no limit. */
  readable<T extends Listed>(
    records: readonly T[],
    kind: Resource['kind'] = 'execution',
  ): T[] | Promise<T[]> {
    return this.hasLimitedLists ? this.#readable(records, kind) : [...records]
  }

  async #readable<T extends Listed>(records: readonly T[], kind: Resource['kind']): Promise<T[]> {
    const allowed = await Promise.all(
      records.map(({ id, ownerId }) => {
        const owner = ownerId === undefined ? null : userKey({ id: ownerId })
        return this.#rules.allows(this.#user, 'read', { kind, id, owner })
      }),
    )
    return records.filter((_, index) => allowed[index])
  }
}

function keyOf(user: User | undefined): string | null {
  return user ? userKey(user) : null
}

function kindOf(caller: Admission | 'operator', limited: Admission | undefined): CallerKind {
  // the user of this process can run the code of the project as they like
  if (caller === 'operator') return 'code'
  return limited && limited.hasKey !== true ? 'user' : 'operator'
}

/** Of a tool that an older copy of the package made. */
const NO_ACCESS: ToolAccess = { callable: undefined, needsApproval: true, approvedBy: undefined }

/** A request that names its user. */
interface Claim {
  readonly userId?: string
}

/** The conversations of one user. */
export interface ConversationsOf {
  /** Null: those without a user. */
  readonly userId: string | null
  /** Only those that no authenticated user has started. */
  readonly ownerless?: boolean
}

function isSuspension(action: ResourceAction): boolean {
  return action === 'suspend' || action === 'resume'
}

/** The records that a list for one user has. */
export interface RecordLimit {
  /** The key of the user, besides whose executions the list has those that are anyone's; null: only these. */
  readonly owner: string | null
  /** The id of the user, whose agent runs the list has; null: those without a user. */
  readonly userId: string | null
}

/** A request of a user to suspend or to resume an execution, and an event that resumes it. */
interface Suspending {
  readonly kind: CallerKind
  readonly action: ResourceAction
  readonly user: () => Promise<User | undefined>
  readonly owner: string | null
  readonly facts: Pick<Ownership, 'resumers' | 'isAsker'>
}

/** Why the workflows of an execution refuse it, whatever the rules of the configuration are. */
async function refusalOf({
  kind,
  action,
  user: getUser,
  owner,
  facts,
}: Suspending): Promise<string | undefined> {
  if (kind !== 'user') return undefined
  const resumers = await facts.resumers()
  const isClosed = resumers.includes('operators')
  const isForOthers = action !== 'suspend' && resumers.includes('others')
  if (!isClosed && !isForOthers) return undefined
  const user = await getUser()
  const isOwner = user !== undefined && userKey(user) === owner
  if (isClosed) return isOwner ? `Only operators can ${action} this execution` : 'not_found'
  if (!user) return 'not_found'
  return (await facts.isAsker(user)) ? 'Another user has to resume this execution' : undefined
}

/** To whom else than the owner the workflows of an execution open it. */
async function opennessOf({ action, facts }: Suspending): Promise<Openness> {
  const resumers = await facts.resumers()
  if (resumers.includes('owner')) return 'closed'
  if (resumers.length === 0 || (action === 'suspend' && !resumers.includes('users'))) return 'default'
  return 'open'
}

/**
 * Whether an event of a user may resume or cancel an execution, by the rules in force: as for a request, unless `authorize`
 * decides about a resume.
 */
export async function mayReceive(
  { policy, engine }: Pick<AccessDeps, 'policy'> & { readonly engine: Pick<Engine, 'executions'> },
  { user, by }: EventSender,
  { id, owner, workflowId, effect }: Receiver & { readonly effect: 'resume' | 'cancel' },
): Promise<boolean> {
  if (effect === 'cancel')
    return policy.resources.allows(async () => user, 'cancel', { kind: 'execution', id, owner })
  const facts = await engine.executions.ownership(refOf({ id, workflowId }))
  const event = { kind: by ?? 'user', action: 'event', user: async () => user, owner, facts } as const
  if ((await refusalOf(event)) !== undefined) return false
  const resource = { kind: 'execution', id, owner, openness: () => opennessOf(event) } as const
  return policy.resources.allows(event.user, 'event', resource)
}

/** Whether an event of a user may start a workflow: as a request of the user. */
export function mayStart(
  { resources }: AccessPolicy,
  { user }: EventSender,
  workflowId: string,
): Promise<boolean> {
  return resources.allows(async () => user, 'execute', { kind: 'workflow', id: workflowId, owner: null })
}
