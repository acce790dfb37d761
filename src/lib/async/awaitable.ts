/** A value or a promise of it. `Promise` is listed for the compiler, whose messages about other promises are unreadable. */
export type Awaitable<Value> = Value | Promise<Value> | PromiseLike<Value>
