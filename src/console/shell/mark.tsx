/** The mark of agentserver: an agent (the ring) on a path of steps (the stem), together an "a". As in icon.svg. */
export function Mark({ className = '' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect width="16" height="16" rx="4" className="fill-accent" />
      <g fill="none" strokeWidth="1.8" strokeLinecap="round" className="stroke-on-accent">
        <circle cx="7.2" cy="8.4" r="2.9" />
        <path d="M11.6 4.6v7" />
      </g>
      <circle cx="11.6" cy="4.1" r="1.3" className="fill-on-accent" />
    </svg>
  )
}
