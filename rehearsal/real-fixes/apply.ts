// Changes of one file made one after the other, as an agent makes them: each an edit of the text that the ones before it left.
import type { Place } from './edits.ts'

export interface AppliedPlace {
  /** Text that the file holds once by then, and what takes its place. */
  readonly old: string
  readonly new: string
  /** Its lines when all are made, counted from 1. */
  readonly lines: string
}

export function applyPlaces(
  before: string,
  places: readonly Place[],
): { text: string; applied: readonly AppliedPlace[] } {
  const lines = before.split('\n')
  const edits: { old: string; new: string }[] = []
  for (const [index, place] of places.entries()) {
    const start = place.start + shiftOf(place, places.slice(0, index))
    const end = start + place.end - place.start
    edits.push(editOf(lines, { ...place, start, end }))
    lines.splice(start, end - start, ...place.lines)
  }
  const applied = edits.map((edit, index) => {
    const place = places[index] as Place
    const later = places.slice(index + 1).filter(({ start }) => start < place.start)
    const first = place.start + shiftOf(place, [...places.slice(0, index), ...later]) + 1
    return { ...edit, lines: `${first}-${Math.max(first, first + place.lines.length - 1)}` }
  })
  return { text: lines.join('\n'), applied }
}

/** How far others move a place: those above it, and what was added right before it. */
function shiftOf({ start }: Place, others: readonly Place[]): number {
  const above = others.filter((other) => other.start < start || (other.start === start && other.end === start))
  return above.reduce((sum, { start: from, end, lines }) => sum + lines.length - (end - from), 0)
}

/** With so many lines around that the file holds its text once, and no more when it is made: then nobody makes it twice. */
function editOf(lines: readonly string[], { start, end, lines: fresh }: Place): { old: string; new: string } {
  const text = lines.join('\n')
  const after = lines.toSpliced(start, end - start, ...fresh).join('\n')
  for (let around = start < end ? 0 : 1; ; around++) {
    const [from, to] = [Math.max(0, start - around), Math.min(lines.length, end + around)]
    const [lead, tail] = [lines.slice(from, start), lines.slice(end, to)]
    const old = [...lead, ...lines.slice(start, end), ...tail].join('\n')
    const made = [...lead, ...fresh, ...tail].join('\n')
    const isOnce = old.trim() !== '' && text.indexOf(old) === text.lastIndexOf(old)
    const isSeen = !after.includes(old) && (made.trim() === '' || !text.includes(made))
    if ((isOnce && isSeen) || (from === 0 && to === lines.length)) return { old, new: made }
  }
}
