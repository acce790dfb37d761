import { types } from 'node:util'
import { stepIdAt } from '../../contract/step-path.ts'
import { currentPlace } from './code-place.ts'
import type { RunPlace, Life } from './code-place.ts'
import type { Seed } from './seed.ts'

type Effect = (this: unknown, ...args: unknown[]) => unknown

/** A side effect that a run has had twice. */
export interface RepeatedEffect {
  readonly stepId: string
  readonly message: string
}

/** Methods of HTTP whose requests may be sent again (RFC 9110): only the others need a key. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])

interface EffectCall {
  readonly pass: object
  readonly key: string | undefined
}

interface SideEffectsOptions {
  readonly effects: Readonly<Record<string, unknown>>
  readonly seed: Seed
  /** Called whenever the code of a run calls one. */
  readonly onCall: () => void
}

/** The side effects of the code under proof: wrapped functions, and `fetch`. */
export class SideEffects {
  readonly #options: SideEffectsOptions
  readonly #restore: (() => void)[] = []
  /** Those whose functions return promises. */
  readonly #asynchronous = new Set<string>()
  /** The calls of the current run, by where they are made. */
  #calls = new Map<string, EffectCall>()
  #counts = new WeakMap<object, Map<string, number>>()
  #lives = new WeakSet<Life>()
  #onRepeated: (repeated: RepeatedEffect) => void = () => undefined

  constructor(options: SideEffectsOptions) {
    this.#options = options
  }

  /** @throws TypeError when a member of `effects` is no function, or can't be replaced. */
  install(): void {
    const { effects } = this.#options
    const names = Object.keys(effects)
    for (const name of names)
      if (typeof effects[name] !== 'function')
        throw new TypeError(
          `crashEveryStep(): effects.${name} must be a function, not ${typeof effects[name]}`,
        )
    for (const name of names) this.#wrap(effects, name, (effect) => this.#wrapped(name, effect))
    this.#wrap(globalThis, 'fetch', (effect) => this.#wrappedFetch(effect))
  }

  restore(): void {
    for (const restore of this.#restore.splice(0)) restore()
  }

  /** From now on, calls are those of another run. */
  beginRun(onRepeated: (repeated: RepeatedEffect) => void): void {
    this.#calls = new Map()
    this.#counts = new WeakMap()
    this.#onRepeated = onRepeated
  }

  /** The code of a process is part of the current run. */
  add(life: Life): void {
    this.#lives.add(life)
  }

  #wrap(owner: object, name: string, wrap: (effect: Effect) => Effect): void {
    const before = Object.getOwnPropertyDescriptor(owner, name)
    const value = wrap(Reflect.get(owner, name) as Effect)
    const isWrapped = Reflect.defineProperty(owner, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: before?.enumerable ?? true,
    })
    if (!isWrapped)
      throw new TypeError(
        `crashEveryStep(): effects.${name} can't be replaced: pass the object through which the workflow calls it, such as effects: payments for a step that calls payments.${name}(…), and no module or frozen object`,
      )
    this.#restore.push(() => {
      if (before) Object.defineProperty(owner, name, before)
      else Reflect.deleteProperty(owner, name)
    })
  }

  #wrapped(name: string, effect: Effect): Effect {
    const call = this.#call.bind(this)
    return function (...args) {
      const run = () => effect.apply(this, args)
      return call(name, { run, keyIn: (executionId) => keyAmong(args, executionId) })
    }
  }

  #wrappedFetch(effect: Effect): Effect {
    const call = this.#call.bind(this)
    return function (...args) {
      const run = () => effect.apply(this, args)
      const [input, init] = args as Parameters<typeof fetch>
      const request = input instanceof Request ? input : undefined
      const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
      const headers = new Headers(init?.headers ?? request?.headers)
      const name = `fetch(${method} ${urlOf(input instanceof Request ? input.url : input.toString())})`
      if (IDEMPOTENT.has(method)) return call(name, { run })
      return call(name, { run, keyIn: () => headers.get('idempotency-key') ?? undefined })
    }
  }

  /** @param keyIn finds the idempotency key; none for what may be repeated without one */
  #call(
    name: string,
    {
      run,
      keyIn,
    }: { readonly run: () => unknown; readonly keyIn?: (executionId: string) => string | undefined },
  ): unknown {
    const place = currentPlace()
    if (!place || !this.#lives.has(place.life)) return run()
    // a killed process does nothing more
    if (place.life.isOver) return this.#asynchronous.has(name) ? never() : abandon(name)
    this.#options.onCall()
    const count = this.#count(name, place)
    if (keyIn) this.#check(name, count, { place, key: keyIn(place.executionId) })
    const result = run()
    if (!types.isPromise(result)) return result
    this.#asynchronous.add(name)
    return this.#delivered(result, place, `${name} ${count} of ${place.path}`)
  }

  /** The result of a call, unless its process was killed meanwhile. */
  async #delivered(result: Promise<unknown>, { life }: RunPlace, subject: string): Promise<unknown> {
    try {
      return await this.#options.seed.delayed(result, subject)
    } finally {
      if (life.isOver) await never()
    }
  }

  /** The number of the call among those of its pass. */
  #count(name: string, { pass }: RunPlace): number {
    const counts = this.#counts.get(pass) ?? new Map<string, number>()
    this.#counts.set(pass, counts)
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }

  #check(
    name: string,
    count: number,
    { place, key }: { readonly place: RunPlace; readonly key: string | undefined },
  ): void {
    const { pass, path, executionId } = place
    const id = JSON.stringify([executionId, path, name, count])
    const before = this.#calls.get(id)
    this.#calls.set(id, { pass, key })
    if (!before || before.pass === pass || (key !== undefined && before.key === key)) return
    this.#onRepeated({
      stepId: stepIdAt(path),
      message: repeatedText(name, { path, keys: [before.key, key] }),
    })
  }
}

function repeatedText(
  name: string,
  { path, keys }: { readonly path: string; readonly keys: readonly [string | undefined, string | undefined] },
): string {
  const isFetch = name.startsWith('fetch(')
  const called = isFetch ? name : `${name}()`
  if (path === '')
    return `${called} was called twice, outside of recorded calls: this code runs again in every pass. Put it into a recorded call, such as await step.run('…', ({ idempotencyKey }) => …)`
  const how = isFetch
    ? `send its idempotencyKey: headers: { 'Idempotency-Key': idempotencyKey }`
    : `pass its idempotencyKey: ${name}(…, { idempotencyKey })`
  const [first, second] = keys
  if (first !== undefined && second !== undefined)
    return `${called} was called twice with different idempotency keys, "${first}" and "${second}": a key that the code makes is another one in each attempt. That of the call is the same: ${how}`
  return `${called} was called twice without an idempotency key: the call was repeated after its effect. ${how[0]?.toUpperCase()}${how.slice(1)}`
}

/** The member `idempotencyKey` of an argument, or an argument that is a key of the execution itself. */
function keyAmong(args: readonly unknown[], executionId: string): string | undefined {
  for (const arg of args) {
    if (typeof arg === 'string' && arg.startsWith(`${executionId}:`)) return arg
    if (typeof arg !== 'object' || arg === null) continue
    const { idempotencyKey } = arg as { readonly idempotencyKey?: unknown }
    if (typeof idempotencyKey === 'string') return idempotencyKey
  }
  return undefined
}

/** The URL without what may be secret or different each time. */
function urlOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}

function abandon(name: string): never {
  throw new Error(`The process that calls ${name} has been killed`)
}
