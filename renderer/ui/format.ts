/** Times, durations and sizes in words. Pure: the caller hands in the clock. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds as `420 ms`, `3.4 s`, `48 s`, `2 min 05 s`, `1 h 02 min`, `3 d 4 h`. Negative counts as zero. */
export function formatDuration(milliseconds: number): string {
  const time = Math.max(0, milliseconds);
  if (time < SECOND) return `${Math.round(time)} ms`;
  if (time < 10 * SECOND) return `${(Math.floor(time / 100) / 10).toFixed(1)} s`;
  if (time < MINUTE) return `${Math.floor(time / SECOND)} s`;
  if (time < HOUR) return `${Math.floor(time / MINUTE)} min ${twoDigits(Math.floor((time % MINUTE) / SECOND))} s`;
  if (time < DAY) return `${Math.floor(time / HOUR)} h ${twoDigits(Math.floor((time % HOUR) / MINUTE))} min`;
  return `${Math.floor(time / DAY)} d ${Math.floor((time % DAY) / HOUR)} h`;
}

/** Like `formatDuration`, in whole seconds, for a number that counts while it is looked at. */
export function formatTicking(milliseconds: number): string {
  return formatDuration(Math.max(0, Math.floor(milliseconds / SECOND)) * SECOND).replace(/^0 ms$/, '0 s').replace(/\.0 s$/, ' s');
}

/** Epoch milliseconds as clock time: `14:02`. */
export function formatClock(at: number): string {
  return new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);
}

/** Short enough for a list: `14:02` today, `yesterday`, `Tue` this week, `3 Nov`, `3 Nov 2024` in another year. */
export function formatWhen(at: number, now: number): string {
  const then = new Date(at);
  const today = new Date(now);
  const days = Math.round((startOfDay(today) - startOfDay(then)) / DAY);
  if (days <= 0) return formatClock(at);
  if (days === 1) return 'yesterday';
  if (days < 7) return new Intl.DateTimeFormat('en', { weekday: 'short' }).format(then);
  const day = `${then.getDate()} ${new Intl.DateTimeFormat('en', { month: 'short' }).format(then)}`;
  return then.getFullYear() === today.getFullYear() ? day : `${day} ${then.getFullYear()}`;
}

/** Date and time in full, for a tooltip. */
export function formatFull(at: number): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }).format(at);
}

/** Bytes as `812 B`, `4.1 kB`, `12 MB` (powers of 1,000). */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** `12,345`. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en');
}

/** `1 command`, `3 commands`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
