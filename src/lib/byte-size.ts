/** A size for people: `512 KB`, `1.4 GB`. */
export function byteSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${value < 10 && step > 1 ? value.toFixed(1) : Math.round(value)} ${units[step]}`
}
