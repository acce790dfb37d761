import type { Endpoint } from '../contract/endpoint.ts'
import type { AnswerOf, CallOf } from './call.ts'

interface WorkflowTypes {
  readonly id: string
  readonly '~types'?: (input: never) => unknown
}

/** A configuration as the client's types need it: the value of `defineConfig()`. */
export interface ClientConfig {
  readonly workflows?: readonly WorkflowTypes[]
}

type WorkflowsOf<Config extends ClientConfig> = NonNullable<Config['workflows']>[number]

/** The ids of the configuration's workflows; `string` when they are not known to the compiler. */
export type WorkflowId<Config extends ClientConfig> = [WorkflowsOf<Config>] extends [never]
  ? string
  : WorkflowsOf<Config>['id']

type TypesOf<Config extends ClientConfig, Id> = NonNullable<
  Extract<WorkflowsOf<Config>, { readonly id: Id }>['~types']
>
type InputOf<Config extends ClientConfig, Id> =
  TypesOf<Config, Id> extends (input: infer Input) => unknown ? Input : never
type ResultOf<Config extends ClientConfig, Id> = ReturnType<TypesOf<Config, Id>>

type TypedParams<Call, Id> = Call extends { params: infer Params }
  ? { params: Omit<Params, 'id'> & { id: Id } }
  : unknown
type TypedBody<Call, Input> = Call extends { body: infer Body extends { input: unknown } }
  ? { body: Omit<Body, 'input'> & { input: Input } }
  : Pick<Call, 'body' & keyof Call>

type TypedCall<Call, Id, Input> = Omit<Call, 'params' | 'body'> &
  TypedParams<Call, Id> &
  TypedBody<Call, Input>

/** Types the member `result` of a result or of the event `workflow-result`. */
type WithResult<Value, Result> = Value extends { result: unknown }
  ? Omit<Value, 'result'> & { result: Result | null }
  : Value

type TypedAnswer<Answer, Result> =
  Answer extends Promise<infer Value>
    ? Promise<WithResult<Value, Result>>
    : Answer extends AsyncGenerator<infer Event>
      ? AsyncGenerator<WithResult<Event, Result>>
      : Answer

/** A method of an endpoint below `/workflows/:id`, with the input and result of the workflow that `params.id` names. */
export type WorkflowMethod<E extends Endpoint, Config extends ClientConfig> = <
  Id extends WorkflowId<Config>,
  Headers extends CallOf<E>['headers'] | undefined = undefined,
>(
  call: TypedCall<CallOf<E>, Id, InputOf<Config, Id>> & { headers?: Headers },
) => TypedAnswer<AnswerOf<E, Headers>, ResultOf<Config, Id>>
