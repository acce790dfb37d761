import type { JsonValue } from './json-value.ts'

/** Values without JSON. `Date`, promises and objects with methods are treated apart. */
type Unserializable =
  | bigint
  | symbol
  | RegExp
  | ReadonlyMap<never, unknown>
  | ReadonlySet<never>
  | ArrayBufferView
  | ArrayBuffer
  | ((...args: never) => unknown)

/** The type of a member. One that JSON can't represent is replaced by the reason. */
type Member<Value> = unknown extends Value
  ? Value
  : Value extends JsonValue | undefined | void
    ? Value
    : Value extends Date
      ? 'A Date is not JSON: use date.toISOString()'
      : Value extends PromiseLike<unknown>
        ? 'A promise is not JSON: await it'
        : Value extends Unserializable
          ? 'Not JSON: use strings, numbers, booleans, null, and arrays and plain objects of them'
          : Members<Value>

type Members<Value> = {
  [Key in keyof Value]: Value extends readonly unknown[] ? Item<Value[Key]> : Member<Value[Key]>
}

type Item<Value> = unknown extends Value
  ? Value
  : undefined extends Value
    ? 'undefined in an array is not JSON: use null'
    : Member<Value>

/**
 * The constraint of a result: `Result extends JsonResult<Result>`. In the compiler's error, each part of the result that
 * JSON can't represent is replaced by the reason. `unknown` and `any` are accepted and checked at run time.
 *
 * Indexed, because the constraint of a type parameter can't be a condition on that parameter.
 */
export type JsonResult<Result> = {
  readonly open: unknown
  readonly single: Member<Result>
  readonly composite: Members<Result>
}[[unknown] extends [Result]
  ? 'open'
  : [Result] extends [JsonValue | Date | PromiseLike<unknown> | Unserializable | undefined]
    ? 'single'
    : 'composite']

/** `Then` if JSON can represent `Value`; otherwise `Value` with the reasons. */
export type IfJson<Value, Then> = [Value] extends [JsonResult<Value>] ? Then : JsonResult<Value>

/** The type of a result after it was stored as JSON: `undefined` becomes `null`. */
export type Stored<Result> = Result extends undefined | void ? null : Result
