import type { Endpoint } from '../contract/endpoint.ts'
import type { ConfigTypes, WorkflowInputOf, WorkflowResultOf, WorkflowId } from '../calls/workflow-types.ts'
import type { AnswerOf, CallOf } from './call.ts'

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
export type WorkflowMethod<E extends Endpoint, Config extends ConfigTypes> = <
  Id extends WorkflowId<Config>,
  Headers extends CallOf<E>['headers'] | undefined = undefined,
>(
  call: TypedCall<CallOf<E>, Id, WorkflowInputOf<Config, Id>> & { headers?: Headers },
) => TypedAnswer<AnswerOf<E, Headers>, WorkflowResultOf<Config, Id>>
