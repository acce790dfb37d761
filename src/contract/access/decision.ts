import type { User } from '../auth.ts'
import type { Approvers, Callers } from './callers.ts'
import { idOfUser } from './user-key.ts'

/** How decisions reach the server: an endpoint's protocol, a signed link, the command line in this process, or the project's code. */
export const DECISION_INTERFACES = ['http', 'chat', 'a2a', 'ag-ui', 'mcp', 'link', 'cli', 'code'] as const
export type DecisionInterface = (typeof DECISION_INTERFACES)[number]

/** As whom somebody decides. `operator`: with the console key, the development bypass, or on the command line. */
export const DECIDER_KINDS = ['user', 'operator', 'code', 'anyone'] as const
export type DeciderKind = (typeof DECIDER_KINDS)[number]

/** How a suspended execution was continued: by a decision, or by an event. */
export const RESUME_INTERFACES = [...DECISION_INTERFACES, 'event'] as const
export type ResumeInterface = (typeof RESUME_INTERFACES)[number]

/** Who it was, and over which interface, as words of the log, which the search finds. */
export function byWhom(
  userId: string | undefined,
  as: DeciderKind | undefined,
  over: ResumeInterface | undefined,
): string {
  return over === undefined ? '' : ` by ${userId ?? as ?? 'anyone'} over ${over}`
}

/** What waits for a decision. */
export type DecisionSubject =
  | {
      readonly kind: 'execution'
      readonly executionId: string
      readonly workflowId?: string
      /** Whether it is the execution of an answer. */
      readonly isAnswer?: true
    }
  | {
      readonly kind: 'run'
      readonly agentId: string
      /** Without one, a run that the decider starts. */
      readonly run?: {
        readonly id: string
        /** The key of the user who started it; null: nobody who is known. `undefined`: there is no such run. */
        readonly owner: string | null | undefined
        /** Who approves each of its calls to which the decision responds, if their tools declare it. */
        readonly approvers?: readonly (Approvers | undefined)[]
      }
    }
  /** Approvals of calls that the agent of a suspended step made, if their tools declare who gives them. */
  | {
      readonly kind: 'calls'
      readonly executionId: string
      /** Whether it is the execution of an answer. */
      readonly isAnswer?: true
      readonly approvers: readonly Approvers[]
    }
  /** A step that waits for an event or a time. */
  | { readonly kind: 'wait'; readonly openTo: Callers }
  /** A direct call of a tool: its approval, or the data of a form that it requests. */
  | { readonly kind: 'tool'; readonly name: string; readonly approvedBy?: Approvers | undefined }

/** Somebody who decides, and the rules that apply to them. */
export interface Decider {
  readonly by: DeciderKind
  /** The authenticated user. */
  readonly user: User | undefined
  readonly over: DecisionInterface
  /** @throws AppError `not_found` or `forbidden` unless they may decide. */
  readonly check: (subject: DecisionSubject) => Promise<void>
}

/** The code of the project decides: no rules apply to it. */
export const CODE_DECIDES: Decider = {
  by: 'code',
  user: undefined,
  over: 'code',
  check: async () => undefined,
}

/**
 * A decision that was allowed: an approval or a denial, the output of a client's tool, the data of a form, a resume.
 * Whatever acts on one requires it, and only `decide` makes one, so that no interface can act without the check.
 */
export class Decision {
  readonly by: DeciderKind
  /** The id of the authenticated user. */
  readonly userId: string | undefined
  readonly over: DecisionInterface
  /** The authenticated user. */
  readonly #user: User | undefined

  private constructor({ by, user, over }: Decider) {
    this.by = by
    this.userId = idOfUser(user)
    this.over = over
    this.#user = user
  }

  get user(): User | undefined {
    return this.#user
  }

  /**
   * The one way to a decision, over every interface: asks first.
   *
   * @throws AppError `not_found` or `forbidden`.
   */
  static async decide(decider: Decider, subject: DecisionSubject): Promise<Decision> {
    await decider.check(subject)
    return new Decision(decider)
  }
}
