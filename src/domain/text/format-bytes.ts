const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** `512 bytes`, `1.5 kB`, `20 MB`, `4.3 GB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return `${value < 10 && power > 0 ? Math.floor(value * 10) / 10 : Math.floor(value)} ${UNITS[power]}`
}
