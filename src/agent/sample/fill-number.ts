import type { JsonSchema } from '../../lib/schema/json-schema.ts'
import type { Mentions } from '../models/demo/text-facts.ts'

/** An unused number of the text that matches the schema. */
export function findNumber(schema: JsonSchema, numbers: Mentions<number>): number | undefined {
  return numbers.take((value) => fitsNumber(schema, value))
}

/** A number for the schema: its default, otherwise a used number of the text, otherwise the number nearest to 1. */
export function makeNumber(schema: JsonSchema, numbers: Mentions<number>): number {
  const { default: preset } = schema
  if (typeof preset === 'number') return preset
  return numbers.repeat((value) => fitsNumber(schema, value)) ?? nearestToOne(schema)
}

function fitsNumber(schema: JsonSchema, value: number): boolean {
  const { low, high, step } = boundsOf(schema)
  if (schema['exclusiveMinimum'] === value || schema['exclusiveMaximum'] === value) return false
  return value >= low && value <= high && (step === undefined || isMultiple(value, step))
}

function isMultiple(value: number, step: number): boolean {
  return Number.isInteger(value / step)
}

interface Bounds {
  readonly low: number
  readonly high: number
  readonly step: number | undefined
}

function boundsOf(schema: JsonSchema): Bounds {
  const { multipleOf } = schema
  const isInteger = [schema['type']].flat().includes('integer')
  const step = typeof multipleOf === 'number' ? multipleOf : isInteger ? 1 : undefined
  return {
    low: Math.max(numberOr(schema['minimum'], -Infinity), numberOr(schema['exclusiveMinimum'], -Infinity)),
    high: Math.min(numberOr(schema['maximum'], Infinity), numberOr(schema['exclusiveMaximum'], Infinity)),
    step,
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function nearestToOne(schema: JsonSchema): number {
  const { low, high, step } = boundsOf(schema)
  const start = Math.min(Math.max(1, low), high)
  const middle =
    Number.isFinite(low) && Number.isFinite(high) ? (low + high) / 2 : start + (start === low ? 1 : -1)
  const candidates = step === undefined ? [start, middle] : multiplesAround(start, step)
  return candidates.find((value) => fitsNumber(schema, value)) ?? start
}

function multiplesAround(value: number, step: number): number[] {
  const times = Math.round(value / step)
  return [times, times + 1, times - 1, times + 2, times - 2].map((count) => count * step)
}
