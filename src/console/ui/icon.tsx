/** Icon paths on a 16 × 16 grid. */
const PATHS = {
  running: 'M8 2.5a5.5 5.5 0 1 0 5.5 5.5M8 5v3l2 1.5',
  suspended: 'M5.5 3.5v9M10.5 3.5v9',
  ok: 'M3 8.5 6.5 12 13 4.5',
  error: 'M4 4l8 8M12 4l-8 8',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6',
  skipped: 'M3 4l4 4-4 4M8.5 4l4 4-4 4',
  idle: 'M8 3.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  download: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.5 10.5l3 3',
  external: 'M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5',
  play: 'M5 3.5v9l7-4.5z',
  stop: 'M4 4h8v8H4z',
  retry: 'M13 4v3.5H9.5M12.5 7.5A5 5 0 1 0 12 11',
  undo: 'M3 4v3.5h3.5M3.5 7.5A5 5 0 1 1 4 11',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  edit: 'M3 13l.7-3 7-7 2.3 2.3-7 7z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, className = '' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={`size-3.5 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
