import type { JsonPath } from './json-value.ts'

/**
 * The path of a JSON pointer (RFC 6901), such as `/items/0/price`; `undefined` if it is not one. Array indexes remain
 * strings.
 */
export function parsePointer(pointer: string): JsonPath | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The JSON pointer of a path. */
export function formatPointer(path: JsonPath): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
