import { ValueType } from '@opentelemetry/api'
import type { HrTime } from '@opentelemetry/api'
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics'
import type { MetricData } from '@opentelemetry/sdk-metrics'
import { VERSION } from '../../lib/packages/own-package.ts'
import type { HistogramValue, MetricFamily, MetricPoint } from '../../lib/telemetry/metrics.ts'
import { serverResource } from '../tracing/server-resource.ts'
import type { ExportSettings } from './export-settings.ts'

/** The time that cumulative values cover, in milliseconds since the epoch. */
export interface MetricPeriod {
  readonly start: number
  readonly end: number
}

interface EncodeOptions extends Pick<ExportSettings, 'encoding' | 'resource'> {
  readonly instanceId?: string | undefined
}

/** Encodes the current values of metrics as an OTLP 1 request body. */
export function encodeMetrics(
  families: readonly MetricFamily[],
  { encoding, resource, instanceId }: EncodeOptions,
  period: MetricPeriod,
): Uint8Array {
  const serializer = encoding === 'json' ? JsonMetricsSerializer : ProtobufMetricsSerializer
  const metrics = families.filter(({ points }) => points.length > 0).map((family) => toData(family, period))
  const body = serializer.serializeRequest({
    resource: serverResource(instanceId).merge(resourceFromAttributes(resource)),
    scopeMetrics: [{ scope: { name: 'agentserver', version: VERSION }, metrics }],
  })
  return body ?? new Uint8Array()
}

function toData(family: MetricFamily, period: MetricPeriod): MetricData {
  const { name, help: description, type, bounds = [], points } = family
  const times = { startTime: hrTime(period.start), endTime: hrTime(period.end) }
  const base = {
    descriptor: { name, description, unit: unitOf(family), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const point = <T>({ labels }: MetricPoint, value: T) => ({
    ...times,
    attributes: attributesOf(family, labels),
    value,
  })
  if (type === 'histogram') {
    const dataPoints = points.map((one) => point(one, histogram(one.value as HistogramValue, bounds)))
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }
  }
  const dataPoints = points.map((one) => point(one, one.value as number))
  return type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints }
}

function histogram({ counts, sum, count }: HistogramValue, boundaries: readonly number[]) {
  const above = count - counts.reduce((total, one) => total + one, 0)
  return { buckets: { boundaries: [...boundaries], counts: [...counts, above] }, sum, count }
}

/** Labels without a value are left out. */
function attributesOf({ labels = [] }: MetricFamily, values: readonly string[]): Record<string, string> {
  const pairs = labels.map((label, index) => [label, values[index] ?? ''] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
}

/** The unit (UCUM), which names in the style of Prometheus end in. */
function unitOf({ name, unit }: MetricFamily): string {
  if (unit !== undefined) return unit
  if (/_seconds(?:_total)?$/.test(name)) return 's'
  return name.endsWith('_bytes') ? 'By' : '1'
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)]
}
