import { context as contextApi, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import type { Attributes, Context, TracerProvider } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import type { Resource } from '@opentelemetry/resources'
import { BasicTracerProvider, SamplingDecision } from '@opentelemetry/sdk-trace-base'
import type { IdGenerator, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { activeTraceContext, enterTrace } from '../../calls/current-server.ts'
import { BatchQueue } from '../../lib/async/batch-queue.ts'
import { lazy } from '../../lib/async/lazy.ts'
import { preciseTime } from '../../lib/clock.ts'
import { VERSION } from '../../lib/packages/own-package.ts'
import type { Redactor } from '../../lib/redact/redactor.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { OtelScope } from './otel-scope.ts'
import type { AttachedSink, SpanListener, SpanSink } from './record/span-listener.ts'
import { serverResource } from './server-resource.ts'
import { redactSpan } from './span/redact-span.ts'
import { SdkSpan } from './span/sdk-span.ts'
import type { SpanData } from './span/span-data.ts'
import { MAX_ATTRIBUTE_CHARACTERS, MAX_ATTRIBUTES } from './span/span-limits.ts'
import { TRACE_CONTEXT, INHERITED } from './trace-context.ts'
import { randomHexGenerator } from '../../lib/ids.ts'

const SPANS_PER_MS = 0xffff

/**
 * A generator of ids that begin with 48 bits of milliseconds since the epoch, so that ids order by time in the store.
 * In span ids a 16-bit counter follows, with a random start in each millisecond; in trace ids 80 random bits.
 */
export function spanIds(now: () => number = Date.now): IdGenerator {
  const randomHex = randomHexGenerator()
  let stamp = ''
  let last = 0
  let counter = Number.parseInt(randomHex(2), 16)
  let left = SPANS_PER_MS
  const time = () => {
    const at = Math.max(now(), last)
    if (at === last && left > 0) return stamp
    last = at === last ? at + 1 : at
    left = SPANS_PER_MS
    stamp = last.toString(16).padStart(12, '0')
    // random, so that two processes differ in the same millisecond
    counter = Number.parseInt(randomHex(2), 16) & 0x7fff
    return stamp
  }
  return {
    generateTraceId: () => time() + randomHex(10),
    generateSpanId: () => {
      const begin = time()
      left--
      counter = (counter + 1) & 0xffff
      return begin + (counter + 0x10000).toString(16).slice(1)
    },
  }
}

export interface TracingOptions {
  /** Whether prompts, inputs and outputs are recorded. Called for each span. */
  readonly capturesContent: () => boolean
  /** Whether spans of user code and libraries are recorded. Called for each span. Default: yes. */
  readonly records?: () => boolean
  readonly redactor: Redactor
  /** The resource attribute `service.instance.id`. Default: none. */
  readonly instanceId?: () => string | undefined
  /** The live feed. It receives each span before the listeners, while it has subscribers. */
  readonly feed: SpanListener & { readonly hasListeners: boolean }
}

/**
 * The spans of this process: those of the server, and those that user code and libraries start with OpenTelemetry's
 * tracer provider. Listeners are called as spans start and end; sinks receive ended spans in batches.
 */
export class Tracing {
  /** The scope of new traces. */
  readonly root: TraceScope
  /** Redacts the secrets of a span, in place. */
  readonly redact: (span: SpanData) => void
  readonly #feed: TracingOptions['feed']
  readonly #listeners: SpanListener[] = []
  readonly #provider: TracerProvider
  readonly #active = new ActiveContext()
  #release: (() => void) | undefined

  constructor({ capturesContent, records = () => true, redactor, feed, instanceId }: TracingOptions) {
    this.#feed = feed
    this.redact = (span) => redactSpan(span, redactor)
    const ids = spanIds()
    const resource = lazy(() => serverResource(instanceId?.()))
    const listener = this.#listener()
    this.#provider = tracerProvider({ records, ids, resource, listener })
    this.root = new OtelScope({
      ids,
      listener,
      origin: lazy(() => ({ resource: resource(), scope: { name: 'agentserver', version: VERSION } })),
      capturesContent,
      redact: redactor.text,
      now: preciseTime(),
      activate: (context, work) => contextApi.with(context, work),
    })
  }

  /** Calls `listener` for every span, until the returned function is called. */
  listen(listener: SpanListener): () => void {
    this.#listeners.push(listener)
    return () => void this.#listeners.splice(this.#listeners.indexOf(listener), 1)
  }

  /** Sends ended spans to a sink in batches, with a queue of its own. */
  addSink(sink: SpanSink): AttachedSink {
    const queue = new BatchQueue<SpanData>({ limit: 8192, batch: 512, everyMs: 1000, ...sink })
    const unlisten = this.listen({ onEnd: (span) => queue.add(span) })
    return {
      get waiting() {
        return queue.size
      },
      get lost() {
        return queue.lost
      },
      flush: () => queue.flush(),
      detach: () => {
        unlisten()
        return queue.close()
      },
    }
  }

  /** Registers our tracer provider, context manager and propagator globally, each unless the process already has one. */
  register(): void {
    const releases = [
      contextApi.setGlobalContextManager(this.#active) ? () => contextApi.disable() : undefined,
      propagation.setGlobalPropagator(TRACE_CONTEXT) ? () => propagation.disable() : undefined,
      trace.setGlobalTracerProvider(this.#provider) ? () => trace.disable() : undefined,
    ]
    this.#release = () => {
      for (const release of releases) release?.()
    }
  }

  /** Removes what {@link register} registered. */
  unregister(): void {
    this.#release?.()
    this.#release = undefined
  }

  #listener(): Required<SpanListener> {
    return {
      onStart: (span) => {
        if (this.#feed.hasListeners) {
          this.redact(span)
          this.#feed.onStart?.(span)
        }
        for (const listener of this.#listeners) listener.onStart?.(span)
      },
      onEnd: (span) => {
        this.redact(span)
        if (this.#feed.hasListeners) this.#feed.onEnd(span)
        for (const listener of this.#listeners) listener.onEnd(span)
      },
    }
  }
}

/** OpenTelemetry's context manager, in the storage of the calls of code. */
class ActiveContext extends AsyncLocalStorageContextManager {
  override active(): Context {
    return (activeTraceContext() as Context | undefined) ?? ROOT_CONTEXT
  }

  override with<Args extends unknown[], Work extends (...args: Args) => ReturnType<Work>>(
    context: Context,
    work: Work,
    thisArg?: ThisParameterType<Work>,
    ...args: Args
  ): ReturnType<Work> {
    return enterTrace(context, () => work.call(thisArg, ...args))
  }
}

interface ProviderOptions {
  /** Whether spans are recorded. Called for each span. */
  readonly records: () => boolean
  readonly ids: IdGenerator
  readonly resource: () => Resource
  readonly listener: Required<SpanListener>
}

/** The tracer provider for user code and libraries: the SDK's, created for the first tracer. */
function tracerProvider({ records, ids, resource, listener }: ProviderOptions): TracerProvider {
  const provider = lazy(() => {
    const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision
    return new BasicTracerProvider({
      resource: resource(),
      // the sampling decision of callers is ignored: every trace can be looked at here
      sampler: { shouldSample: () => ({ decision: records() ? RECORD_AND_SAMPLED : NOT_RECORD }) },
      idGenerator: ids,
      spanLimits: {
        attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS,
        attributeCountLimit: MAX_ATTRIBUTES,
      },
      spanProcessors: [processor(listener)],
    })
  })
  return { getTracer: (name, version, options) => provider().getTracer(name, version, options) }
}

/** Passes the SDK's spans to the listener. */
function processor(listener: Required<SpanListener>): SpanProcessor {
  return {
    onStart: (span, context) => {
      const inherited = context.getValue(INHERITED)
      if (inherited) span.setAttributes(inherited as Attributes)
      listener.onStart(new SdkSpan(span))
    },
    onEnd: (span) => listener.onEnd(new SdkSpan(span)),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  }
}
