/** The logo: a river with two arms that meet. */
export function Logo({ sizePx = 18 }: { sizePx?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={sizePx}
      height={sizePx}
      viewBox="0 0 20 20"
      fill="none"
      className="flex-none text-accent"
    >
      <path
        d="M3.2 5.2C5.6 6.4 8.4 9 10 16.6 11.6 9 14.4 6.4 16.8 5.2"
        stroke="currentColor"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
      <circle cx="3" cy="4.6" r="2.1" fill="currentColor" />
    </svg>
  )
}
